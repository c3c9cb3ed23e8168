//! The launches of a step: which of its stages share a kernel.
//!
//! Where nothing has to be seen between two steps, one kernel makes a whole step: forces, what the fixes do after
//! them, what they do before the next forces (`whole_step` of cl/pair.cl). Where something has, the same
//! stages come in several kernels, with the same bits.

use crate::bond::Resolved;
use crate::error::Result;
use crate::fix::{Call, Fix, Setup};
use crate::gpu::{Arg, Defines, Kernel};
use crate::kernels::{Context, File, INTEGRATE, LANES, LIST, MOLECULE, PAIR, STEP, SUMS};
use crate::neighbor::Neighbor;
use crate::neighbor::links::Links;
use crate::pair::Coefficients;
use crate::resident::{Floats, Resident, real};
use crate::rules::Rule;
use crate::timing::{Section, WHOLE_STEP};
use crate::topology::{self, Molecules};

/// The kernels of a run.
pub struct Plan {
    force: Kernel,
    force_and_tally: Kernel,
    whole: Kernel,
    initial: Kernel,
    turn: Kernel,
    last: Kernel,
    /// Coefficients per ordered pair of types.
    table: Floats,
    /// Coefficients per bond type.
    bond_table: Floats,
    /// Whether molecules add to the forces.
    molecules: bool,
    /// What the fixes' functions read.
    parameters: Floats,
    /// Per atom (pair energy, xx, yy, zz, xy, xz, yz, bond energy), as of the last step that wanted it.
    pub tally: Floats,
}

impl Plan {
    /// Builds the kernels for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        coefficients: &Coefficients,
        molecules: &Molecules,
        fixes: &[Box<dyn Fix>],
        setup: &Setup<'_>,
        n: usize,
    ) -> Result<Self> {
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let stages = Stages::new(fixes, setup);
        let stage_files: Vec<File> = [&[INTEGRATE], &stages.files[..], &[STEP]].concat();
        let stage_defines = stages.define(context.defines());
        let program = context.program_with(&stage_files, &stage_defines)?;

        let pair_defines = define_molecules(context, molecules, pair_defines(context, coefficients));
        let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let molecule_files = molecule_files(molecules);
        let pair_files: Vec<(&str, &str)> = [LANES, LIST]
            .into_iter()
            .chain(styles)
            .chain([SUMS])
            .chain(molecule_files)
            .chain([PAIR])
            .collect();
        let pair = |tally| context.program_with(&pair_files, &pair_defines.clone().set("TALLY", tally));
        let fused = stages.define(pair_defines.clone().set("TALLY", 0).set("FUSED", 1));
        let whole = context.program_with(&[&stage_files[..], &pair_files].concat(), &fused)?;

        let wide = numerics.wide_pairs();
        Ok(Plan {
            force: pair(0)?.kernel("pair_force")?,
            force_and_tally: pair(1)?.kernel("pair_force_tally")?,
            whole: whole.kernel(WHOLE_STEP)?,
            initial: program.kernel("initial_integrate")?,
            turn: program.kernel("turn_step")?,
            last: program.kernel("final_integrate")?,
            table: Floats::from_values(gpu, "pair coefficients", &coefficients.table, wide)?,
            molecules: adds_forces(molecules),
            bond_table: Floats::from_values(gpu, "bond coefficients", &bond_table(molecules), wide)?,
            parameters: Floats::from_values(gpu, "fix parameters", &stages.parameters, numerics.wide())?,
            tally: Floats::new(gpu, "tallies", 8 * n, wide)?,
        })
    }

    /// Enqueues the forces on all atoms, with tallies when wanted; the forces have the same bits either way.
    ///
    /// # Errors
    /// When the device fails.
    pub fn forces(&self, atoms: &Resident, neighbor: &Neighbor, tally: bool) -> Result<()> {
        let kernel = if tally { &self.force_and_tally } else { &self.force };
        let rest = [atoms.force.arg(), self.tally.arg(), (&atoms.status).into(), atoms.step.into()];
        self.over_pages(kernel, atoms, neighbor, &rest)
    }

    /// Launches a kernel of cl/pair.cl for every page of the list; `rest` are its OUTPUT_ARGUMENTS.
    fn over_pages(
        &self,
        kernel: &Kernel,
        atoms: &Resident,
        neighbor: &Neighbor,
        rest: &[Arg<'_>],
    ) -> Result<()> {
        let (list, cells) = (&neighbor.list, neighbor.cells());
        let molecules = self.molecule_args(atoms, neighbor);
        for page in &list.pages {
            let n = page.n.min(atoms.n.saturating_sub(page.first));
            let (items, local) = atoms.context.shape.pair_items(n, cells.blocks);
            let args = [
                (&atoms.position).into(),
                (&page.entries).into(),
                (&list.neighbors).into(),
                (&cells.block_table).into(),
                (&cells.centers).into(),
                (&list.tiles).into(),
                self.table.arg(),
                (&cells.box_buffer).into(),
                Arg::U32(page.first as u32),
                Arg::U32(n as u32),
                Arg::U32(list.rows as u32),
                Arg::U32(atoms.capacity as u32),
                Arg::U32(list.crowds as u32),
            ];
            kernel.launch(Section::Pair, items, local, &[&args, rest, &molecules].concat())?;
        }
        Ok(())
    }

    /// MOLECULE_ARGUMENTS of cl/molecule.cl, where the kernels have them.
    fn molecule_args<'a>(&'a self, atoms: &'a Resident, neighbor: &'a Neighbor) -> Vec<Arg<'a>> {
        match neighbor.links.as_ref().filter(|_| self.molecules) {
            Some(Links { bonds, special, .. }) => vec![
                (&bonds.by_place).into(),
                self.bond_table.arg(),
                (&special.by_place).into(),
                (&atoms.columns.tag).into(),
            ],
            None => Vec::new(),
        }
    }

    /// Before the forces of `atoms.step`: positions move.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.move_atoms(&self.initial, atoms, neighbor)
    }

    /// From one step to the next, which is `atoms.step`, with the forces in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.move_atoms(&self.turn, atoms, neighbor)
    }

    /// After the forces of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end(&self, atoms: &Resident) -> Result<()> {
        let [x, v, kind, mask, parameters] = self.atom_args(atoms);
        let args = [
            x,
            v,
            kind,
            mask,
            parameters,
            atoms.force.arg(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(atoms.n as u32),
        ];
        self.last.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }

    /// The forces of `atoms.step` and everything up to those of the next step, which becomes `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn whole_step(&self, atoms: &mut Resident, neighbor: &Neighbor) -> Result<()> {
        let (watched, trigger) = neighbor.watch(atoms.step + 1);
        let rest = [
            &self.atom_args(atoms)[..],
            &[
                (&atoms.moved).into(),
                (&atoms.built_at).into(),
                (&atoms.status).into(),
                atoms.step.into(),
                real(atoms.context.numerics, trigger),
                i32::from(watched).into(),
            ],
        ]
        .concat();
        self.over_pages(&self.whole, atoms, neighbor, &rest)?;
        atoms.swap_positions();
        atoms.step += 1;
        Ok(())
    }

    fn move_atoms(&self, kernel: &Kernel, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        let (watched, trigger) = neighbor.watch(atoms.step);
        let [x, v, kind, mask, parameters] = self.atom_args(atoms);
        kernel.launch_each(
            Section::Modify,
            atoms.n,
            atoms.context.shape.local,
            &[
                x,
                v,
                kind,
                mask,
                parameters,
                atoms.force.arg(),
                (&atoms.position).into(),
                (&atoms.built_at).into(),
                (&neighbor.cells().box_buffer).into(),
                (&atoms.status).into(),
                atoms.step.into(),
                real(atoms.context.numerics, trigger),
                i32::from(watched).into(),
                Arg::U32(atoms.capacity as u32),
                Arg::U32(atoms.n as u32),
            ],
        )
    }

    /// ATOM_ARGUMENTS of cl/integrate.cl.
    fn atom_args<'a>(&'a self, atoms: &'a Resident) -> [Arg<'a>; 5] {
        let columns = &atoms.columns;
        [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            self.parameters.arg(),
        ]
    }
}

/// What the neighbour loop is specialised by.
fn pair_defines(context: &Context, coefficients: &Coefficients) -> Defines {
    let rules = context.shape.rules;
    let mut defines = rules.define(context.defines()).set("COEFFICIENTS", coefficients.per_pair);
    if context.types == 1 {
        let names: Vec<String> = (0..coefficients.per_pair).map(|k| format!("C{k}")).collect();
        defines = context.set_real(defines, "CUTSQ", coefficients.table[0]);
        for (name, &value) in names.iter().zip(&coefficients.table[1..]) {
            defines = context.set_real(defines, name, value);
        }
        if !rules.follow(Rule::Constants) {
            defines = defines.set("CUTSQ", "table[0]");
            for (k, name) in names.iter().enumerate() {
                defines = defines.set(name, format!("table[{}]", k + 1));
            }
        }
        let constants: Vec<String> = names.iter().map(|name| format!("(realv)({name})")).collect();
        defines = defines.set("CONSTANTS", format!("{{{}}}", constants.join(", ")));
    }
    defines
}

/// Whether molecules have bond forces, or pairs that count in part.
fn adds_forces(molecules: &Molecules) -> bool {
    !molecules.partners.is_empty() || molecules.partial()
}

/// The kernel files for what molecules add to the forces.
fn molecule_files(molecules: &Molecules) -> Vec<File> {
    match adds_forces(molecules) {
        true => molecules.bonded.iter().map(|bonded| bonded.style.snippet()).chain([MOLECULE]).collect(),
        false => Vec::new(),
    }
}

/// And the constants.
fn define_molecules(context: &Context, molecules: &Molecules, defines: Defines) -> Defines {
    if !adds_forces(molecules) {
        return defines;
    }
    let most = |links: &topology::Links| links.values().map(Vec::len).max().unwrap_or(0);
    let special = if molecules.partial() { most(&molecules.special) } else { 0 };
    let mut defines = defines
        .set("MOLECULES", 1)
        .set("BOND_WIDTH", most(&molecules.partners))
        .set("SPECIAL_WIDTH", special);
    for (name, weight) in ["WEIGHT_12", "WEIGHT_13", "WEIGHT_14"].into_iter().zip(molecules.weights) {
        defines = context.set_real(defines, name, weight);
    }
    defines
}

/// What `bond_eval` reads; a buffer of none cannot be passed.
fn bond_table(molecules: &Molecules) -> Vec<f64> {
    molecules.bonded.as_ref().map(Resolved::table).filter(|table| !table.is_empty()).unwrap_or(vec![0.0])
}

/// The calls of the fixes' functions, in the order of the script.
struct Stages {
    files: Vec<File>,
    initial: String,
    last: String,
    parameters: Vec<f64>,
}

impl Stages {
    fn new(fixes: &[Box<dyn Fix>], setup: &Setup<'_>) -> Self {
        let mut stages =
            Stages { files: Vec::new(), initial: String::new(), last: String::new(), parameters: Vec::new() };
        for fix in fixes {
            let stage = fix.stage(setup);
            let (first, group) = (stages.parameters.len(), fix.header().group);
            let call = |function: Option<Call>| match function {
                Some(name) => format!("if ((a)->mask & {group}u) {name}(a, parameters + {first}); "),
                None => String::new(),
            };
            stages.initial += &call(stage.initial);
            stages.last += &call(stage.last);
            stages.parameters.extend(&stage.parameters);
            if !stages.files.contains(&stage.snippet) {
                stages.files.push(stage.snippet);
            }
        }
        stages.parameters.resize(stages.parameters.len().max(1), 0.0); // a buffer of none cannot be passed
        stages
    }

    fn define(&self, defines: Defines) -> Defines {
        defines.set("INITIAL_STAGES(a)", &self.initial).set("FINAL_STAGES(a)", &self.last)
    }
}
