//! What formulas can ask about the script and the program, and the properties of atoms by name.

use super::view::Snapshot;
use crate::base::error::{Error, Result};
use crate::base::parallel;
use crate::base::ranks;
use crate::model::domain::box_keyword;
use crate::model::lattice;
use crate::potentials::pair::Pair;
use crate::script::atom_expr::{AtomExpr, AtomProperty};
use crate::script::lammps;
use crate::session::KnownNames;
use crate::session::minimize::STYLES;
use crate::session::thermo::density_unit;

impl Snapshot<'_> {
    /// The keywords that need no run.
    pub(super) fn plain_keyword(&self, name: &str) -> Option<f64> {
        let domain = self.domain().ok()?;
        Some(match name {
            "step" => self.session.clock.step as f64,
            "dt" => self.session.clock.dt(),
            "time" => self.session.time_at(self.session.clock.step),
            "elapsed" => (self.session.clock.step - self.session.clock.run_start) as f64,
            "elaplong" => self.span().map_or(0.0, |[begin, _]| (self.session.clock.step - begin) as f64),
            "beginstep" => self.span()?[0] as f64,
            "endstep" => self.span()?[1] as f64,
            "atoms" => self.count(1).ok()? as f64,
            "bonds" => self.session.system.topology.bonds.len() as f64,
            "vol" => domain.volume(self.session.system.dimension),
            "density" => {
                let volume = domain.volume(self.session.system.dimension);
                self.mass_of_all().ok()? / volume * density_unit(self.session.system.units)
            }
            "xlat" | "ylat" | "zlat" => lattice::spacing(self.session.system.lattice.as_ref())[axis(name)],
            name => {
                let general = domain.general.filter(|_| self.session.output.thermo.general);
                return box_keyword(domain.lo, domain.hi, domain.tilt, general, name);
            }
        })
    }

    /// The steps over which targets rise; `None` between runs.
    fn span(&self) -> Option<[i64; 2]> {
        self.simulation.map(|run| run.course.span).or(self.session.clock.amid)
    }

    /// The largest component of all forces, or the length of their vector.
    pub(super) fn force_size(&self, largest: bool) -> Option<f64> {
        if let Some(summaries) = self.moments(AtomExpr::vector(AtomProperty::F).into(), 1, None).ok()? {
            return Some(match largest {
                true => summaries.iter().fold(0.0, |most: f64, axis| most.max(axis.extreme_sizes[1])),
                false => summaries.iter().map(|axis| axis.squares).sum::<f64>().sqrt(),
            });
        }
        let components = self.forces().ok()?.iter().flatten();
        Some(match largest {
            true => components.fold(0.0, |most: f64, f| most.max(f.abs())),
            false => components.map(|f| f * f).sum::<f64>().sqrt(),
        })
    }

    /// A property of all atoms by its name in `dump custom` and `compute property/atom`.
    ///
    /// # Errors
    /// When the name is none of these, or there are no forces now.
    pub fn property(&self, name: &str) -> Result<Vec<f64>> {
        self.session.check_property(name)?;
        let (atoms, domain) = (self.atoms()?, self.domain()?);
        let axis = axis(name);
        let scaled = |i: usize, d: usize| domain.fractions(atoms.x[i])[d];
        let image = |i: usize, d: usize| f64::from(atoms.image[i][d]);
        let per_atom = |value: &(dyn Fn(usize) -> f64 + Sync)| Ok(parallel::map(atoms.len(), value));
        let masses = self.masses();
        match name {
            "id" => per_atom(&|i| f64::from(atoms.tag[i])),
            "type" => per_atom(&|i| f64::from(atoms.kind[i])),
            "mass" => per_atom(&|i| masses.of(atoms.kind[i])),
            "mol" => per_atom(&|i| f64::from(atoms.molecule[i])),
            "q" => per_atom(&|i| atoms.charge[i]),
            "radius" => per_atom(&|i| atoms.sphere(i)[0]),
            "diameter" => per_atom(&|i| 2.0 * atoms.sphere(i)[0]),
            "proc" => per_atom(&|_| 0.0),
            "x" | "y" | "z" => per_atom(&|i| atoms.x[i][axis]),
            "vx" | "vy" | "vz" => per_atom(&|i| atoms.v[i][axis]),
            "xs" | "ys" | "zs" => per_atom(&|i| scaled(i, axis)),
            "xu" | "yu" | "zu" => per_atom(&|i| domain.unwrapped(atoms.x[i], atoms.image[i])[axis]),
            "xsu" | "ysu" | "zsu" => per_atom(&|i| scaled(i, axis) + image(i, axis)),
            "ix" | "iy" | "iz" => per_atom(&|i| image(i, axis)),
            "fx" | "fy" | "fz" => {
                let forces = self.forces()?;
                per_atom(&|i| forces[i][axis])
            }
            _ => match atoms.custom.get(name) {
                Some(values) => Ok(values.to_vec()),
                None => Err(Error::new(format!("atoms have no property '{name}'"))),
            },
        }
    }

    /// The values of the functions that ask about the program and the script.
    pub(super) fn fact_of(&self, function: &str, arguments: &[String]) -> Result<f64> {
        let first = arguments.first().map_or("", String::as_str);
        let second = arguments.get(1).map_or("", String::as_str);
        let truth = match function {
            "is_file" => ranks::any(ranks::is_first() && std::path::Path::new(first).is_file()),
            "is_timeout" => self.session.timed_out(),
            "is_defined" => self.is_defined(first, second)?,
            "is_active" => self.is_active(first, second)?,
            "is_available" => is_available(&self.session.script.known, first, second)?,
            "is_os" => is_os(first),
            "is_typelabel" => self.labelled(first, second)?.is_some(),
            "label2type" => {
                let missing = || Error::new(format!("no {first} type has the name '{second}'"));
                return Ok(self.labelled(first, second)?.ok_or_else(missing)? as f64);
            }
            _ => return self.setting(first),
        };
        Ok(f64::from(truth))
    }

    fn is_defined(&self, category: &str, id: &str) -> Result<bool> {
        let session = self.session;
        Ok(match category {
            "compute" => session.computes.get(id).is_some(),
            "dump" => session.output.dumps.iter().any(|dump| dump.id() == id),
            "fix" => session.fixes.iter().any(|fix| fix.header().id == id),
            "group" => session.system.groups.bit(id).is_some(),
            "region" => session.system.regions.get(id).is_some(),
            "variable" => session.script.variables.contains(id),
            _ => return Err(category_error(category, "compute dump fix group region variable")),
        })
    }

    /// Whether something is so in the script: of packages of LAMMPS none is, forces are what `newton on` has, and a pair style is asked
    /// for what it can do and what `pair_modify` says. Source: LAMMPS manual, `variable`, and what `info` says there.
    fn is_active(&self, category: &str, name: &str) -> Result<bool> {
        const PACKAGES: &str = "gpu intel kokkos omp";
        const PAIR: &str = "single respa manybody tail shift";
        let session = self.session;
        let field = &session.force_field;
        let check = |known: &str| match known.split(' ').any(|known| known == name) {
            true => Ok(()),
            false => Err(category_error(name, known)),
        };
        Ok(match category {
            "package" => {
                check(PACKAGES)?;
                false
            }
            "newton" => {
                check("pair bond any")?;
                true
            }
            "pair" => {
                let Some(pair) = &field.pair else { return Ok(false) };
                check(PAIR)?;
                match name {
                    "single" => pair.of_pairs(),
                    "manybody" => pair.parts.iter().any(|part| part.style.many_body().is_some()),
                    "tail" => pair.parts.iter().any(|part| part.tail),
                    "shift" => pair.parts.iter().any(|part| part.shift),
                    _ => false,
                }
            }
            "pair_style" => field.pair.as_ref().map_or("none", Pair::script_name) == name,
            "bond_style" => field.bonded.as_ref().map_or("none", |bonded| bonded.style.name()) == name,
            "angle_style" | "dihedral_style" | "improper_style" | "kspace_style" => name == "none",
            "atom_style" => session.system.atom_style.name == name,
            "min_style" => {
                STYLES.iter().any(|(style, known)| *style == name && *known == session.minimize.style)
            }
            "run_style" => name == "verlet",
            "comm_style" => name == if session.sharing.tiled { "tiled" } else { "brick" },
            _ => {
                return Err(category_error(
                    category,
                    "package newton pair pair_style bond_style angle_style dihedral_style improper_style \
                     kspace_style atom_style min_style run_style comm_style",
                ));
            }
        })
    }

    /// The type of a name.
    fn labelled(&self, kind: &str, name: &str) -> Result<Option<usize>> {
        match kind {
            "atom" => Ok(self.session.system.labels.atom.number(name)),
            "bond" => Ok(self.session.system.labels.bond.number(name)),
            _ => Err(category_error(kind, "atom bond")),
        }
    }

    /// `extract_setting`. Source: LAMMPS manual, lammps_extract_setting() of the library.
    fn setting(&self, name: &str) -> Result<f64> {
        let session = self.session;
        let atoms = session.atom_count() as f64;
        Ok(match name {
            "dimension" => f64::from(session.system.dimension),
            "box_exist" => f64::from(session.system.domain.is_some()),
            "ntypes" => session.types() as f64,
            "nlocal" | "nall" | "nmax" => atoms,
            "triclinic" => f64::from(session.system.domain.as_ref().is_some_and(|domain| domain.triclinic)),
            "world_rank" | "universe_rank" | "kokkos_active" | "nghost" => 0.0,
            "world_size" | "universe_size" => ranks::count() as f64,
            "nthreads" => 1.0,
            "newton_bond" | "newton_pair" => 1.0,
            "molecule_flag" => f64::from(session.has_molecules()),
            "q_flag" => f64::from(session.has_charges()),
            "nbondtypes" => session.system.topology.bond_types as f64,
            "mu_flag" | "rmass_flag" | "nangletypes" => 0.0,
            "bigint" => 8.0,
            "tagint" | "imageint" => 4.0,
            _ => {
                return Err(category_error(
                    name,
                    "dimension box_exist ntypes nlocal nghost nall triclinic world_size world_rank newton_pair",
                ));
            }
        })
    }
}

fn category_error(word: &str, known: &str) -> Error {
    Error::new(format!("'{word}' is none of the names that can be asked about"))
        .help(format!("known: {known}"))
}

fn is_available(known: &KnownNames, category: &str, name: &str) -> Result<bool> {
    // Styles of accelerators are the plain ones here.
    let name = if category == "command" { name } else { lammps::without_suffix(name) };
    match category {
        "feature" => Ok(matches!(name, "GZIP" | "gzip" | "PNG" | "png" | "JPEG" | "jpeg" | "exceptions")),
        "integrate" => Ok(name == "verlet"),
        "minimize" => Ok(STYLES.iter().any(|(style, _)| *style == name)),
        _ => (known.style)(category, name).ok_or_else(|| {
            let known = "command atom pair bond angle dihedral improper kspace fix compute dump region integrate \
                         minimize feature";
            category_error(category, known)
        }),
    }
}

/// Whether the name of the operating system has a pattern in it.
fn is_os(pattern: &str) -> bool {
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "macOS",
        "windows" => "Windows",
        other => other,
    };
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    match &*pattern {
        ['^', rest @ ..] => begins(&name, rest),
        _ => (0..=name.len()).any(|start| begins(&name[start..], &pattern)),
    }
}

/// Whether a text begins with a pattern: letters, `.` for any, `*`, `+` and `?` behind one, `$` for the end.
fn begins(text: &[char], pattern: &[char]) -> bool {
    let fits = |place: usize| text.get(place).is_some_and(|c| pattern[0] == '.' || pattern[0] == *c);
    match pattern {
        [] => true,
        ['$'] => text.is_empty(),
        [_, many @ ('*' | '+' | '?'), rest @ ..] => {
            let most = if *many == '?' { 1 } else { text.len() };
            let run = (0..most).take_while(|&place| fits(place)).count();
            (usize::from(*many == '+')..=run).any(|taken| begins(&text[taken..], rest))
        }
        [_, rest @ ..] => fits(0) && begins(&text[1..], rest),
    }
}

/// The axis that a name like `ysu` or `fz` has in it.
pub(super) fn axis(name: &str) -> usize {
    match name {
        _ if name.contains('z') => 2,
        _ if name.contains('y') => 1,
        _ => 0,
    }
}
