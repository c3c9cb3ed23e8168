//! The launches of a step: which of its stages share a kernel.
//!
//! Where nothing has to be seen between two steps, one kernel makes a whole step: forces, what the fixes do after
//! them, what they do before the next forces (`whole_step` of cl/pair.cl). Where something has, the same
//! stages come in several kernels, with the same bits.

use crate::error::Result;
use crate::fix::{Call, Fix, Setup};
use crate::gpu::{Arg, Defines, Kernel, Program};
use crate::kernels::{Context, File, INTEGRATE, LANES, LIST, PAIR, STEP};
use crate::neighbor::Neighbor;
use crate::pair::Coefficients;
use crate::reduce::Reductions;
use crate::resident::{Floats, Resident, real};
use crate::rules::Rule;
use crate::timing::{Section, WHOLE_STEP};

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
    /// What the fixes' functions read.
    parameters: Floats,
    /// Per atom (energy, xx, yy, zz, xy, xz, yz, 0), as of the last step that wanted it.
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
        fixes: &[Box<dyn Fix>],
        setup: &Setup<'_>,
        n: usize,
    ) -> Result<Self> {
        let (gpu, numerics) = (&context.gpu, context.numerics);
        let stages = Stages::new(fixes, setup);
        let stage_files: Vec<File> = [&[INTEGRATE], &stages.files[..], &[STEP]].concat();
        let stage_defines = stages.define(context.defines());
        let program = context.program_with(&stage_files, &stage_defines)?;

        let pair = |tally| pair_program(context, coefficients, tally);
        let fused = stages.define(pair_defines(context, coefficients).set("TALLY", 0).set("FUSED", 1));
        let whole = context.program_with(&[&stage_files[..], &pair_files(coefficients)].concat(), &fused)?;

        let wide = numerics.wide_pairs();
        Ok(Plan {
            force: pair(0)?.kernel("pair_force")?,
            force_and_tally: pair(1)?.kernel("pair_force_tally")?,
            whole: whole.kernel(WHOLE_STEP)?,
            initial: program.kernel("initial_integrate")?,
            turn: program.kernel("turn_step")?,
            last: program.kernel("final_integrate")?,
            table: Floats::from_values(gpu, "pair coefficients", &coefficients.table, wide)?,
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
        let kernel = pair_program(context, coefficients, 1)?.kernel("pair_force_tally")?;
        let table = Floats::from_values(gpu, "numbers of pairs", &coefficients.table, wide)?;
        let force = Floats::new(gpu, "forces of pairs", 3 * atoms.n, wide)?;
        let tally = Floats::new(gpu, "tallies of pairs", 8 * atoms.n, wide)?;
        let rest = [force.arg(), tally.arg(), (&atoms.status).into(), atoms.step.into()];
        over_pages(&kernel, &table, atoms, neighbor, &rest)?;
        reductions.tally(&tally, atoms.n)
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
        over_pages(&self.whole, &self.table, atoms, neighbor, &rest)?;
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
fn pair_program(context: &Context, coefficients: &Coefficients, tally: u32) -> Result<Program> {
    let defines = pair_defines(context, coefficients).set("TALLY", tally);
    context.program_with(&pair_files(coefficients), &defines)
}

fn pair_files(coefficients: &Coefficients) -> Vec<(&str, &str)> {
    let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    [LANES, LIST].into_iter().chain(styles).chain([PAIR]).collect()
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
