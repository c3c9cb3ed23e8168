//! The names that LAMMPS knows, so that what is missing here can be told from what is misspelt.
//!
//! Source: the style lists that `lmp -h` prints (22 Jul 2025), and the manual's tables of commands and of styles, which have
//! those of all packages; accelerator suffixes (`/omp`, `/gpu`, `/kk`, `/intel`, `/opt`) are left out.

/// Every command, blank-separated.
pub const COMMANDS: &str = include_str!("lammps/commands.txt");
/// Every pair style, blank-separated.
pub const PAIR_STYLES: &str = include_str!("lammps/pair_styles.txt");
/// Every bond style, blank-separated.
pub const BOND_STYLES: &str = include_str!("lammps/bond_styles.txt");
/// Every angle style, blank-separated.
pub const ANGLE_STYLES: &str = include_str!("lammps/angle_styles.txt");
/// Every dihedral style, blank-separated.
pub const DIHEDRAL_STYLES: &str = include_str!("lammps/dihedral_styles.txt");
/// Every improper style, blank-separated.
pub const IMPROPER_STYLES: &str = include_str!("lammps/improper_styles.txt");
/// Every kspace style, blank-separated.
pub const KSPACE_STYLES: &str = include_str!("lammps/kspace_styles.txt");
/// Every style of minimizations, blank-separated.
pub const MIN_STYLES: &str = include_str!("lammps/min_styles.txt");
/// Every style of runs, blank-separated.
pub const RUN_STYLES: &str = "verlet verlet/split respa";
/// Every unit system, blank-separated.
pub const UNITS: &str = "lj real metal si cgs electron micro nano";
/// Every fix style, blank-separated.
pub const FIX_STYLES: &str = include_str!("lammps/fix_styles.txt");
/// Every compute style, blank-separated.
pub const COMPUTE_STYLES: &str = include_str!("lammps/compute_styles.txt");
/// Every dump style, blank-separated.
pub const DUMP_STYLES: &str = include_str!("lammps/dump_styles.txt");
/// Every region style, blank-separated.
pub const REGION_STYLES: &str = include_str!("lammps/region_styles.txt");
/// Every atom style, blank-separated.
pub const ATOM_STYLES: &str = include_str!("lammps/atom_styles.txt");
/// Every thermo keyword without an argument, which formulas may use too, blank-separated.
pub const THERMO_KEYWORDS: &str = include_str!("lammps/thermo_keywords.txt");
/// The functions of formulas that CLAMPS does not have, blank-separated.
pub const FUNCTIONS: &str = include_str!("lammps/functions.txt");

/// Commands and styles that CLAMPS does not have, and what to do instead: kind, names, remedy. The first ones need several partitions of
/// ranks or several replicas.
const INSTEAD: [(&str, &str, &str); 14] = [
    (
        "command",
        "partition",
        "all ranks are one partition: write what follows `partition yes N` into the script of a run of its own, or between \
         `if` and an index variable that `-var` sets",
    ),
    (
        "command",
        "temper temper/npt temper/grem",
        "start one run for each temperature, with `-var` and `-log` of its own, and swap the files of `write_restart` between \
         runs",
    ),
    (
        "command",
        "neb neb/spin",
        "a path of few atoms can be walked in one run: move them a little (`displace_atoms`), hold them and an atom far from them \
         (`fix setforce 0 0 0`), otherwise the others follow, and `minimize` at each point",
    ),
    (
        "command",
        "prd",
        "start several runs from one restart file, each with `-log` and a seed of its own (`-var`)",
    ),
    (
        "command",
        "tad hyper",
        "run at the temperature itself, or at higher ones and extrapolate: one run each, with `-var` and `-log` of its own",
    ),
    (
        "command",
        "dynamical_matrix third_order",
        "with `-precision double` move one atom at a time by `displace_atoms`, `run 0`, and take differences of the forces that \
         `write_dump` writes",
    ),
    (
        "compute style",
        "basal/atom",
        "`ptm/atom` finds crystal structures and how they are turned; `cna/atom`, `cnp/atom` and `centro/atom` find defects",
    ),
    (
        "compute style",
        "xrd saed",
        "write atoms by `dump custom` for a program that makes diffraction patterns, or take `rdf`",
    ),
    ("fix style", "sgcmc", "`fix atom/swap` with `semi-grand yes` and `mu` makes such moves one by one"),
    (
        "fix style",
        "ttm ttm/grid ttm/mod ttm/thermal",
        "where the temperature of electrons is known, `fix ID GROUP langevin v_NAME 0 DAMP SEED` with a variable of style atom is a \
         bath of them",
    ),
    (
        "fix style",
        "append/atoms",
        "make the crystal long enough at first, or follow the shocked state of a small periodic box by `fix msst` or `nphug`",
    ),
    (
        "pair style",
        "airebo airebo/morse rebo lcbop",
        "for carbon without hydrogen there are files for `tersoff`, such as BNC.tersoff",
    ),
    ("pair style", "tersoff/table", "`tersoff` has the same formulas without tables"),
    (
        "pair style",
        "agni bop comb comb3 eim extep gw gw/zbl hdnnp meam/spline meam/sw/spline mliap pace polymorphic quip rann reaxff snap \
         uf3",
        "take a potential of a form that is here: eam, eam/alloy, eam/fs, adp, meam for metals; sw, tersoff, edip, vashishta, \
         meam for covalent solids",
    ),
];

/// What to do in place of a command or style that CLAMPS does not have, where something is known.
pub fn instead_of(kind: &str, name: &str) -> Option<&'static str> {
    let found = INSTEAD.iter().find(|(other, names, _)| *other == kind && knows(names, name));
    found.map(|(.., instead)| *instead)
}

/// A style's name without an accelerator suffix: `lj/cut/gpu` is `lj/cut`.
pub fn without_suffix(name: &str) -> &str {
    ["/omp", "/gpu", "/kk", "/kk/host", "/kk/device", "/intel", "/opt"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name)
}

/// Whether one of the lists above holds `name`, with or without a suffix.
pub fn knows(names: &str, name: &str) -> bool {
    let base = without_suffix(name);
    names.split_whitespace().any(|known| known == name || known == base)
}
