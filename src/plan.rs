//! The launches of a step: which of its stages share a kernel.
//!
//! Where nothing has to be seen between two steps, one kernel makes a whole step: forces, what the fixes do after
//! them, what they do before the next forces (`whole_step` of cl/pair.cl). Where something has, the same
//! stages come in several kernels, with the same bits.

use crate::bond::Resolved;
use crate::error::Result;
use crate::fix::{Call, Fix, Moment};
use crate::gpu::{Arg, Defines, Gpu, Kernel, Program};
use crate::kernels::{Context, File, INTEGRATE, LANES, LIST, MOLECULE, PAIR, STEP, SUMS};
use crate::neighbor::Neighbor;
use crate::neighbor::links::Links;
use crate::pair::Coefficients;
use crate::reduce::Reductions;
use crate::resident::{Floats, Resident, real};
use crate::rules::Rule;
use crate::timing::{Section, WHOLE_STEP};
use crate::topology::{self, Molecules};

/// A place of the script where no fix is.
const NO_FIX: usize = u32::MAX as usize;

/// The kernels of a run.
pub struct Plan {
    force: Kernel,
    force_and_tally: Kernel,
    whole: Kernel,
    initial: Kernel,
    turn: Kernel,
    last: Kernel,
    first_forces: Kernel,
    end_of_step: Kernel,
    /// Coefficients per ordered pair of types.
    table: Floats,
    /// Coefficients per bond type.
    bond_table: Floats,
    /// Whether molecules add to the forces.
    molecules: bool,
    parameters: Parameters,
    /// The script's step when those of the run began at 0.
    origin: i64,
    /// Per atom (pair energy, xx, yy, zz, xy, xz, yz, bond energy), as of the last step that wanted it.
    pub tally: Floats,
}

impl Plan {
    /// Builds the kernels for up to `n` atoms, for a run from `moment` on or for a minimization.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(
        context: &Context,
        coefficients: &Coefficients,
        molecules: &Molecules,
        fixes: &[Box<dyn Fix>],
        moment: &Moment<'_>,
        minimizing: bool,
        n: usize,
    ) -> Result<Self> {
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let stages = Stages::new(fixes, moment, minimizing)?;
        let stage_files: Vec<File> = [&[INTEGRATE], &stages.files[..], &[STEP]].concat();
        let stage_defines = stages.define(context.defines());
        let program = context.program_with(&stage_files, &stage_defines)?;

        let pair = |tally| pair_program(context, coefficients, molecules, tally);
        let defines = define_molecules(context, molecules, pair_defines(context, coefficients));
        let fused = stages.define(defines.set("TALLY", 0).set("FUSED", 1));
        let files = [&stage_files[..], &pair_files(coefficients, molecules)].concat();
        let whole = context.program_with(&files, &fused)?;

        let wide = numerics.wide_pairs();
        Ok(Plan {
            force: pair(0)?.kernel("pair_force")?,
            force_and_tally: pair(1)?.kernel("pair_force_tally")?,
            whole: whole.kernel(WHOLE_STEP)?,
            initial: program.kernel("initial_integrate")?,
            turn: program.kernel("turn_step")?,
            last: program.kernel("final_integrate")?,
            first_forces: program.kernel("first_forces")?,
            end_of_step: program.kernel("end_of_step")?,
            table: Floats::from_values(gpu, "pair coefficients", &coefficients.table, wide)?,
            molecules: adds_forces(molecules),
            bond_table: Floats::from_values(gpu, "bond coefficients", &bond_table(molecules), wide)?,
            parameters: Parameters::new(gpu, stages.row, numerics.wide())?,
            origin: moment.step,
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
        let rest = [&rest[..], &self.molecule_args(atoms, neighbor)].concat();
        over_pages(kernel, &self.table, atoms, neighbor, &rest)
    }

    /// Sums over all pairs within their cutoffs of what other coefficients than those of the run make of them: energy and
    /// virial (xx yy zz xy xz yz), with the positions and the list as they are.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn sums_over_pairs(
        coefficients: &Coefficients,
        atoms: &Resident,
        neighbor: &Neighbor,
        reductions: &Reductions,
    ) -> Result<(f64, [f64; 6])> {
        let context = &atoms.context;
        let (gpu, wide) = (&context.gpu, context.numerics.wide_pairs());
        let kernel =
            pair_program(context, coefficients, &Molecules::default(), 1)?.kernel("pair_force_tally")?;
        let table = Floats::from_values(gpu, "numbers of pairs", &coefficients.table, wide)?;
        let force = Floats::new(gpu, "forces of pairs", 3 * atoms.n, wide)?;
        let tally = Floats::new(gpu, "tallies of pairs", 8 * atoms.n, wide)?;
        let rest = [force.arg(), tally.arg(), (&atoms.status).into(), atoms.step.into()];
        over_pages(&kernel, &table, atoms, neighbor, &rest)?;
        let (energy, _, virial) = reductions.tally(&tally, atoms.n)?;
        Ok((energy, virial))
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
        self.move_atoms(&self.initial, atoms, neighbor, atoms.step)
    }

    /// From one step to the next, which is `atoms.step`, with the forces in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn turn(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.move_atoms(&self.turn, atoms, neighbor, atoms.step - 1)
    }

    /// After the forces of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.change_forces(&self.last, atoms, neighbor)
    }

    /// The forces before the first step, as the fixes change them.
    ///
    /// # Errors
    /// When the device fails.
    pub fn first_forces(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.change_forces(&self.first_forces, atoms, neighbor)
    }

    fn change_forces(&self, kernel: &Kernel, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        let rest = [
            atoms.force.arg(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(atoms.n as u32),
        ];
        let args = [&self.atom_args(atoms, atoms.step)[..], &rest].concat();
        kernel.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }

    /// What the fix at a place of the script does at the end of `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn end_of_step(&self, atoms: &Resident, neighbor: &Neighbor, place: usize) -> Result<()> {
        let rest = [
            atoms.force.arg(),
            (&atoms.position).into(),
            (&atoms.built_at).into(),
            (&neighbor.cells().box_buffer).into(),
            (&atoms.status).into(),
            atoms.step.into(),
            Arg::U32(place as u32),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(atoms.n as u32),
        ];
        let args = [&self.atom_args(atoms, atoms.step)[..], &rest].concat();
        self.end_of_step.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }

    /// Stages the positions as they are in memory.
    ///
    /// # Errors
    /// When the device fails.
    pub fn restage(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.end_of_step(atoms, neighbor, NO_FIX)
    }

    /// Sends the parameters of the fixes for the steps from `first` on, counted as `atoms.step`; a single row is
    /// for all steps.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn set_parameters(&mut self, gpu: &Gpu, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        self.parameters.set(gpu, first, rows)
    }

    /// The forces of `atoms.step` and everything up to those of the next step, which becomes `atoms.step`.
    ///
    /// # Errors
    /// When the device fails.
    pub fn whole_step(&self, atoms: &mut Resident, neighbor: &Neighbor) -> Result<()> {
        let (watched, trigger) = neighbor.watch(atoms.step + 1);
        let rest = [
            &self.atom_args(atoms, atoms.step)[..],
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
        let rest = [rest, self.molecule_args(atoms, neighbor)].concat();
        over_pages(&self.whole, &self.table, atoms, neighbor, &rest)?;
        atoms.swap_positions();
        atoms.step += 1;
        Ok(())
    }

    fn move_atoms(&self, kernel: &Kernel, atoms: &Resident, neighbor: &Neighbor, row: u32) -> Result<()> {
        let (watched, trigger) = neighbor.watch(atoms.step);
        let rest = [
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
        ];
        let args = [&self.atom_args(atoms, row)[..], &rest].concat();
        kernel.launch_each(Section::Modify, atoms.n, atoms.context.shape.local, &args)
    }

    /// ATOM_ARGUMENTS of cl/integrate.cl, with the parameters of a step and of the one after it.
    fn atom_args<'a>(&'a self, atoms: &'a Resident, step: u32) -> [Arg<'a>; 10] {
        let columns = &atoms.columns;
        [
            (&columns.x).into(),
            columns.v.arg(),
            (&columns.kind).into(),
            (&columns.mask).into(),
            (&columns.tag).into(),
            (&columns.image).into(),
            self.parameters.buffer.arg(),
            Arg::U32(self.parameters.row(step)),
            Arg::U32(self.parameters.row(step + 1)),
            Arg::I64(self.origin),
        ]
    }
}

/// What the fixes' functions read: one row for all steps, or one for each of some steps.
struct Parameters {
    buffer: Floats,
    wide: bool,
    stride: usize,
    first: u32,
    /// What is in the buffer.
    values: Vec<f64>,
}

impl Parameters {
    fn new(gpu: &Gpu, row: Vec<f64>, wide: bool) -> Result<Self> {
        let stride = row.len();
        // A buffer of none cannot be passed.
        let buffer = Floats::from_values(gpu, "fix parameters", &[&row[..], &[0.0]].concat(), wide)?;
        Ok(Parameters { buffer, wide, stride, first: 0, values: row })
    }

    fn set(&mut self, gpu: &Gpu, first: u32, rows: &[Vec<f64>]) -> Result<()> {
        let values = rows.concat();
        self.first = first;
        if values == self.values {
            return Ok(());
        }
        if values.len() > self.values.len() {
            self.buffer = Floats::new(gpu, "fix parameters", values.len(), self.wide)?;
        }
        self.buffer.write(Section::Modify, &values)?;
        self.values = values;
        Ok(())
    }

    /// Where the row of a step begins; the nearest one that is there.
    fn row(&self, step: u32) -> u32 {
        let rows = self.values.len().checked_div(self.stride).unwrap_or(1);
        (step.saturating_sub(self.first) as usize).min(rows - 1) as u32 * self.stride as u32
    }
}

/// Launches a kernel of cl/pair.cl for every page of the list; `rest` are its OUTPUT_ARGUMENTS.
fn over_pages(
    kernel: &Kernel,
    table: &Floats,
    atoms: &Resident,
    neighbor: &Neighbor,
    rest: &[Arg<'_>],
) -> Result<()> {
    let (list, cells) = (&neighbor.list, neighbor.cells());
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
            table.arg(),
            (&cells.box_buffer).into(),
            Arg::U32(page.first as u32),
            Arg::U32(n as u32),
            Arg::U32(list.rows as u32),
            Arg::U32(atoms.capacity as u32),
            Arg::U32(list.crowds as u32),
        ];
        kernel.launch(Section::Pair, items, local, &[&args, rest].concat())?;
    }
    Ok(())
}

/// The neighbour loop that leaves forces in memory, and with `tally` energy and virial.
fn pair_program(
    context: &Context,
    coefficients: &Coefficients,
    molecules: &Molecules,
    tally: u32,
) -> Result<Program> {
    let defines = define_molecules(context, molecules, pair_defines(context, coefficients));
    context.program_with(&pair_files(coefficients, molecules), &defines.set("TALLY", tally))
}

fn pair_files<'a>(coefficients: &'a Coefficients, molecules: &Molecules) -> Vec<(&'a str, &'a str)> {
    let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let files = [LANES, LIST].into_iter().chain(styles).chain([SUMS]);
    files.chain(molecule_files(molecules)).chain([PAIR]).collect()
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
#[derive(Default)]
struct Stages {
    files: Vec<File>,
    calls: [String; 4],
    /// The parameters of one step.
    row: Vec<f64>,
}

impl Stages {
    fn new(fixes: &[Box<dyn Fix>], moment: &Moment<'_>, minimizing: bool) -> Result<Self> {
        let mut stages = Stages::default();
        for (place, fix) in fixes.iter().enumerate() {
            let (first, group) = (stages.row.len(), fix.header().group);
            stages.row.extend(fix.parameters(moment)?);
            let Some(stage) = fix.stage() else { continue };
            let call = |function: Option<Call>| {
                let call = |name| format!("CALL_STAGE({name}, {group}u, {first}, a, h) ");
                function.map_or(String::new(), call)
            };
            let end = match stage.end {
                Some(_) => format!("if (which == {place}) {{ {}}} ", call(stage.end)),
                None => String::new(),
            };
            let force = stage.force.filter(|_| fix.minimizes() || !minimizing);
            let calls = [call(stage.initial), call(force), call(stage.last), end];
            stages.calls.iter_mut().zip(calls).for_each(|(all, call)| *all += &call);
            if !stages.files.contains(&stage.snippet) {
                stages.files.push(stage.snippet);
            }
        }
        Ok(stages)
    }

    fn define(&self, defines: Defines) -> Defines {
        let [initial, force, last, end] = &self.calls;
        defines
            .set("INITIAL_STAGES(a, h)", initial)
            .set("FORCE_STAGES(a, h)", force)
            .set("FINAL_STAGES(a, h)", last)
            .set("END_STAGES(a, h, which)", end)
    }
}
