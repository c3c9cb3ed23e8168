//! The program of the neighbour loop: its files and what it is specialised by.

use crate::base::error::Result;
use crate::engine::kernels::LaunchConfig;
use crate::engine::kernels::variants::Variant;
use crate::engine::kernels::{
    ACCUMULATE, ADD_PLACES, APPEND, BARRIER, BONDS, COULOMB, Context, EXCHANGE, FIRST_PASS, GATHER, LANES,
    LIST_LAYOUT, LONG_LAYOUT, LONG_PAIRS, LOOP_ATOMS, LOOP_CLUSTER, LOOP_KERNEL, LOOP_PICKED, LOOP_PLAIN,
    LOOP_TILE, NOISE, OUTPUT_COUNT, OUTPUT_COUPLED, OUTPUT_FORCES, OUTPUT_FUSED, PAIR_INPUTS, PAIRS,
    PARTIAL_FORCES, SAMPLES, TAPER, WHOLE_STEPS, vectors,
};
use crate::gpu::source::File;
use crate::gpu::{Defines, Exchange, Program};
use crate::model::topology;
use crate::model::topology::Weights;
use crate::potentials::bond::Resolved;
use crate::potentials::bonded::BondedTopology;
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Leaves, Pass, Table, samples_at};

/// The neighbour loop that leaves forces in memory, and with `tally` energy and virial.
pub(in crate::engine) fn pair_program(
    context: &Context,
    coefficients: &Coefficients<'_>,
    molecules: &BondedTopology,
    tally: u32,
) -> Result<Program> {
    let defines = define_molecules(context, molecules, pair_defines(context, coefficients));
    context.program_with(
        &pair_files(context, coefficients, molecules, Output::Forces),
        &defines.set("TALLY", tally),
    )
}

/// The program of forces of long pairs (cl/force/long_pairs.cl), and with `tally` of energies and virials.
pub(in crate::engine) fn long_program(
    context: &Context,
    coefficients: &Coefficients<'_>,
    tally: u32,
    [group, vector]: [usize; 2],
) -> Result<Program> {
    let shape = LaunchConfig {
        vector,
        clusters: false,
        lanes: group,
        pair_local: group,
        tile: false,
        exchange: Exchange::Local,
        ..context.shape
    };
    let context = Context { shape, ..context.clone() };
    let coefficients = Coefficients { met: Vec::new(), local_rows: 0..0, ..coefficients.clone() };
    let defines = pair_defines(&context, &coefficients)
        .set("TALLY", tally)
        .set("LONG_LOCAL", group)
        .set("LISTED", 1)
        .set("PLACES_SPACE", "__global");
    let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let noise = coefficients.seed.map(|_| NOISE);
    let files = before_styles(vector).into_iter().chain(styles).chain(noise);
    let files: Vec<_> =
        files.chain([PAIRS, PAIR_INPUTS, ACCUMULATE, ADD_PLACES, LONG_LAYOUT, LONG_PAIRS]).collect();
    context.program_with(&files, &defines)
}

/// What becomes of an atom's force: the piece `output` of cl/force/.
#[derive(Clone, Copy)]
pub(in crate::engine) enum Output {
    /// It stays in memory, and with tallies energy and virial.
    Forces,
    /// Fixes go on with it, up to the positions of the next step.
    Fused,
    /// The same up to where a fix has to know of all atoms.
    Coupled,
    /// There is none: pairs are counted by distance.
    Count,
}

/// The files of the neighbour loop for the layout of the lists, which are put together here so that no kernel stands behind
/// switches.
pub(in crate::engine) fn pair_files<'a>(
    context: &Context,
    coefficients: &'a Coefficients,
    molecules: &'a BondedTopology,
    output: Output,
) -> Vec<(&'a str, &'a str)> {
    let output = match output {
        Output::Forces => OUTPUT_FORCES,
        Output::Fused => OUTPUT_FUSED,
        Output::Coupled => OUTPUT_COUPLED,
        Output::Count => OUTPUT_COUNT,
    };
    let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let noise = coefficients.seed.map(|_| NOISE);
    let gathers = (coefficients.seen.slot_sets > 0).then_some(GATHER);
    let seen = coefficients.seen;
    let layout = match coefficients.has_pairs {
        true => layout(context, seen.picked(), seen.compact()),
        false => &[LOOP_ATOMS],
    };
    let files = before_styles(context.shape.vector).into_iter().chain(styles).chain(noise);
    files
        .chain([PAIRS, PAIR_INPUTS])
        .chain(gathers)
        .chain([ACCUMULATE])
        .chain(molecule_files(molecules))
        .chain([LOOP_KERNEL, WHOLE_STEPS, output])
        .chain(layout.iter().copied())
        .collect()
}

/// What the files of styles may use, with vectors of so many pairs.
fn before_styles(width: usize) -> [File; 8] {
    [vectors(width), EXCHANGE, LANES, BARRIER, LIST_LAYOUT, SAMPLES, COULOMB, TAPER]
}

/// The loop over lists of a layout, where pairs take many times as long as distances, or not.
fn layout(context: &Context, picked: bool, compact: bool) -> &'static [File] {
    match (context.shape.tile, context.shape.cluster()) {
        (true, _) => &[LOOP_TILE],
        (false, 1) if picked && context.shape.vector == 1 => &[LOOP_PICKED],
        (false, 1) => &[LOOP_PLAIN],
        (false, _) if compact => &[APPEND, ADD_PLACES, LOOP_CLUSTER],
        (false, _) => &[APPEND, LOOP_CLUSTER],
    }
}

/// How a first pass leaves for the last one what it has found within the cutoff.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) enum Found {
    /// Not at all.
    Nowhere,
    /// A bit for each of the first entries of a list (cl/force/loop_picked.cl).
    AsMarks,
    /// The places of neighbors, atom by atom (cl/force/loop_cluster.cl).
    AsPlaces,
}

impl Found {
    /// In the layout of lists.
    pub(in crate::engine) fn of(context: &Context, seen: PairInputs) -> Found {
        match (context.shape.tile, context.shape.cluster()) {
            _ if !seen.found => Found::Nowhere,
            (false, 2..) => Found::AsPlaces,
            (false, _) if seen.picked() && context.shape.vector == 1 => Found::AsMarks,
            _ => Found::Nowhere,
        }
    }

    /// The switches of kernels, of the pass that leaves it or of the one that takes it.
    fn define(self, defines: Defines, leaves: bool) -> Defines {
        match (self, leaves) {
            (Found::Nowhere, _) => defines,
            (Found::AsMarks, true) => defines.set("MARKS_LEFT", 1),
            (Found::AsMarks, false) => defines.set("MARKED", 1),
            (Found::AsPlaces, true) => defines.set("NEAR_LEFT", 1),
            (Found::AsPlaces, false) => defines.set("NEAR_TAKEN", 1),
        }
    }
}

/// Bytes that `local` work-items need for what they know of their atoms' surroundings, with `room` for so many partial forces (Surroundings of
/// cl/force/partial_forces.cl).
fn near_bytes(context: &Context, pass: &Pass, [room, local]: [usize; 2]) -> usize {
    let Leaves::PartialForces { scratch, .. } = pass.leaves else { return 0 };
    let (real, lanes) = (if context.numerics.wide_pairs() { 8 } else { 4 }, context.shape.lanes);
    let each = room * ((4 + scratch) * real + if context.types > 1 { 4 } else { 0 });
    local.div_ceil(lanes) * each + if lanes > 1 { local * (real + 4) } else { 0 }
}

/// Bytes of a device's local memory for that, beside what else kernels have there.
fn room_for_near(context: &Context) -> usize {
    (context.gpu.info().local_memory as usize).saturating_sub(2 << 10)
}

/// Whether a group of `local` work-items has that in local memory: on GPUs, where several share an atom, always, as each has to know what the others do.
pub(super) fn is_near_local(context: &Context, pass: &Pass, [room, local]: [usize; 2]) -> bool {
    /// So that several groups are on a compute unit at a time.
    const MOST: usize = 24 << 10;
    pass.has_slots()
        && context.shape.cluster() == 1
        && (context.shape.lanes > 1 || near_bytes(context, pass, [room, local]) <= MOST)
}

/// Work-items of a pass's work-groups, with `room` for so many partial forces: on GPUs as few as have room in local memory for what they know
/// of their neighbours ([`near_bytes`]).
pub(in crate::engine) fn pass_group(context: &Context, pass: &Pass, room: usize) -> usize {
    let (local, least) = (context.shape.pair_local, context.shape.lanes.max(8));
    if !pass.has_slots() || context.shape.cluster() > 1 {
        return local;
    }
    let fits = |items: usize| near_bytes(context, pass, [room, items]) <= room_for_near(context);
    let halves = std::iter::successors(Some(local), |&items| (items > 1).then(|| 1 << (items / 2).ilog2()));
    halves.take_while(|&items| items >= least).find(|&items| fits(items)).unwrap_or(least.min(local))
}

/// Whether one launch of several steps has local memory for its passes, with `room` for so many partial forces, `beside` so many bytes that it has
/// for sums.
pub(in crate::engine) fn passes_fit(context: &Context, passes: &[Pass], room: usize, beside: usize) -> bool {
    let (_, local) = context.shape.items_of_several(0);
    let bytes: usize = passes.iter().map(|pass| near_bytes(context, pass, [room, local])).sum();
    context.shape.lanes == 1 || bytes + beside <= room_for_near(context)
}

/// The program of a first pass, which is the `index`-th of all and has `room` for so many partial forces; `seen` is what the last pass sees.
/// With `tally` slots have virials, too, where they have room for them.
pub(in crate::engine) fn pass_program(
    context: &Context,
    pass: &Pass,
    [index, room]: [usize; 2],
    seen: PairInputs,
    tally: bool,
) -> Result<Program> {
    context.program_with(
        &pass_files(context, pass, seen),
        &pass_defines(context, pass, [index, room, pass_group(context, pass, room)], seen, tally),
    )
}

/// The files of a first pass.
pub(super) fn pass_files(context: &Context, pass: &Pass, seen: PairInputs) -> Vec<File> {
    let adds = if pass.has_slots() { PARTIAL_FORCES } else { FIRST_PASS };
    let mut files = before_styles(context.shape.vector).to_vec();
    // Functions of three bodies build on what is known of an atom's surroundings, the others are called by what adds up.
    if pass.has_slots() {
        files.extend([PAIRS, adds, pass.file]);
    } else {
        files.extend([pass.file, PAIRS, adds]);
    }
    let picked = seen.picked() && !pass.has_slots();
    files.extend([LOOP_KERNEL, WHOLE_STEPS]);
    files.extend(layout(context, picked, !pass.has_slots()));
    files
}

/// And the constants.
pub(super) fn pass_defines(
    context: &Context,
    pass: &Pass,
    [index, room, local]: [usize; 3],
    seen: PairInputs,
    tally: bool,
) -> Defines {
    let mut defines = list_defines(context, &pass.table, [context.types, pass.per_pair], pass.varying, &[])
        .set("COMPACT", 1)
        .set("TALLY", 0)
        .set("PAIR_LOCAL", local)
        .set("PASS_INDEX", index);
    defines = Found::of(context, seen).define(defines, true);
    if let Some(place) = pass.factor_at {
        defines = defines.set("PASS_FACTOR", place);
    }
    if seen.slot_virials {
        defines = defines.set("SLOT_VIRIALS", 1).set("VIRIALS", u32::from(tally));
    }
    match pass.leaves {
        Leaves::Numbers { sums, made } => {
            defines = defines
                .set("PASS_SUMS", sums)
                .set("PASS_MADE", made)
                .set("PASS_WIDTH", seen.made)
                .set("PASS_FIRST", pass.first);
        }
        Leaves::PartialForces { scratch, .. } => {
            let numbers = pass.triplets.len() / context.types.pow(3);
            if is_near_local(context, pass, [room, local]) {
                defines = defines.set("NEAR_LOCAL", 1);
            }
            defines = defines
                .set("SLOTS", room)
                .set("SLOT_SET", pass.first)
                .set("SCRATCH", scratch)
                .set("WIDTH", numbers);
            if pass.triplets.chunks(numbers.max(1)).all(|triplet| triplet == &pass.triplets[..numbers]) {
                defines = defines.set("TRIPLET_KINDS", 1);
                for (k, &number) in pass.triplets[..numbers].iter().enumerate() {
                    defines = context.set_real(defines, &format!("K{k}"), number);
                }
            }
        }
    }
    defines
}

/// Bytes of a group's local memory for the rows of samples that it holds there, 0 where it holds none: where one work-item's vectors are one
/// pair, and other things leave room.
pub(in crate::engine) fn row_bytes(context: &Context, coefficients: &Coefficients<'_>) -> usize {
    /// More rows would leave room for few groups on a compute unit at a time.
    const MOST: usize = 16 << 10;
    /// What else a group has there at most, besides atoms in tiles.
    const OTHERS: usize = 2 << 10;
    let Context { shape, numerics, .. } = context;
    let single = shape.vector == 1 && shape.cluster() == 1 && !numerics.wide_pairs();
    let loops = coefficients.met.is_empty() && !coefficients.seen.picked();
    let in_tile = if shape.tile { (4 + coefficients.seen.reals()) * 4 * (shape.tile_atoms + 1) } else { 0 };
    let bytes = 6 * 4 * coefficients.local_rows.len();
    let has_room = bytes <= MOST && bytes + in_tile + OTHERS <= context.gpu.info().local_memory as usize;
    if single && loops && has_room { bytes } else { 0 }
}

/// Whether all forces come from slots, of which several work-items that share an atom add up some each (cl/force/loop_atoms.cl).
pub(in crate::engine) fn shares_slots(context: &Context, coefficients: &Coefficients<'_>) -> bool {
    !coefficients.has_pairs && coefficients.seen.slot_sets > 0 && context.shape.lanes > 1
}

/// What the neighbour loop is specialised by.
pub(in crate::engine) fn pair_defines(context: &Context, coefficients: &Coefficients<'_>) -> Defines {
    let Coefficients { table, per_pair, kinds, varying, met, .. } = coefficients;
    let mut defines =
        coefficients.seen.define(list_defines(context, table, [*kinds, *per_pair], *varying, met));
    if !met.is_empty() {
        defines = defines.set("LONG_PAIRS", 1);
    }
    if row_bytes(context, coefficients) > 0 {
        let rows = &coefficients.local_rows;
        defines = defines.set("LOCAL_ROWS", rows.len()).set("LOCAL_AT", rows.start);
    }
    if coefficients.seen.compact() {
        defines = defines.set("COMPACT", 1);
    }
    defines = Found::of(context, coefficients.seen).define(defines, false);
    if shares_slots(context, coefficients) {
        defines = defines.set("BY_LANES", 1);
    } else if !coefficients.has_pairs {
        // A work-item takes an atom.
        defines = defines.set("LANES", 1).set("TILE", 0).set("PAIR_LOCAL", context.shape.local);
    }
    if coefficients.own_energies.iter().any(|&energy| energy != 0.0) {
        let names: Vec<String> = (1..=context.types).map(|kind| format!("OWN_ENERGY_{kind}")).collect();
        for (name, &energy) in names.iter().zip(&coefficients.own_energies) {
            defines = context.set_real(defines, name, energy);
        }
        defines = defines.set("OWN_ENERGY", names.join(", "));
    }
    defines
}

/// What every loop over lists is specialised by: a table of so many numbers per pair of types, of which it tells so many apart. They stay
/// unless they are `varying`. It may be that only some of the pairs are `met`.
fn list_defines(
    context: &Context,
    table: &Table<'_>,
    [types, per_pair]: [usize; 2],
    varying: bool,
    met: &[bool],
) -> Defines {
    let rules = context.shape.rules;
    let mut defines = rules
        .define(context.defines())
        .set("COEFFICIENTS", per_pair)
        .set("KEPT_VECTORS", 0)
        .set("SAMPLES_AT", samples_at(types, per_pair));
    let device = context.gpu.info();
    if device.fetches_ahead() {
        defines = defines.set("FETCH_AHEAD", 1);
    }
    let mut places = (0..types.pow(2)).filter(|&k| met.is_empty() || met[k]);
    let first = places.next().unwrap_or(0);
    let row = table.row(first);
    let alike = types == 1 || !varying && places.all(|k| table.row(k) == row);
    let kinds = if alike { 1 } else { types };
    defines = defines.set("PAIR_KINDS", kinds);
    if kinds == 1 {
        let names: Vec<String> = (0..per_pair).map(|k| format!("C{k}")).collect();
        let mut numbers = row.iter().copied().chain(std::iter::repeat(0.0));
        defines = context.set_real(defines, "CUTSQ", numbers.next().unwrap_or(0.0));
        for (name, value) in names.iter().zip(numbers) {
            defines = context.set_real(defines, name, value);
        }
        if varying || !rules.follow(Variant::Constants) {
            let in_memory = |number| format!("table[{}]", table.place(first, number));
            defines = defines.set("CUTSQ", in_memory(0));
            for (k, name) in names.iter().enumerate() {
                defines = defines.set(name, in_memory(k + 1));
            }
        }
        let constants: Vec<String> = names.iter().map(|name| format!("(realv)({name})")).collect();
        defines = defines.set("CONSTANTS", format!("{{{}}}", constants.join(", ")));
    }
    defines
}

/// Whether molecules have bond forces, or pairs that count in part.
pub(in crate::engine) fn adds_forces(molecules: &BondedTopology) -> bool {
    !molecules.partners.is_empty() || molecules.partial()
}

/// The kernel files for what molecules add to the forces.
pub(in crate::engine) fn molecule_files(molecules: &BondedTopology) -> Vec<(&str, &str)> {
    match adds_forces(molecules) {
        true => molecules.bonded.iter().map(Resolved::file).chain([BONDS]).collect(),
        false => Vec::new(),
    }
}

/// And the constants.
pub(in crate::engine) fn define_molecules(
    context: &Context,
    molecules: &BondedTopology,
    defines: Defines,
) -> Defines {
    if !adds_forces(molecules) {
        return defines;
    }
    let most = |links: &topology::Partners| links.values().map(Vec::len).max().unwrap_or(0);
    let special = if molecules.partial() { most(&molecules.special) } else { 0 };
    let mut defines = defines
        .set("MOLECULES", 1)
        .set("BOND_WIDTH", most(&molecules.partners))
        .set("BOND_COEFFICIENTS", molecules.bonded.as_ref().map_or(0, Resolved::width))
        .set("SPECIAL_WIDTH", special);
    if molecules.snaps {
        defines = defines.set("BONDS_SNAP", 1);
    }
    if let Some(first) = molecules.bonded.as_ref().and_then(|bonded| bonded.style.first_listed()) {
        defines = defines.set("FIRST_LISTED", first);
    }
    for (k, separated) in ["12", "13", "14"].into_iter().enumerate() {
        let Weights { lj, coul, .. } = molecules.weights;
        defines = context.set_real(defines, &format!("WEIGHT_{separated}"), lj[k]);
        defines = context.set_real(defines, &format!("CHARGE_WEIGHT_{separated}"), coul[k]);
    }
    defines
}

/// What `bond_eval` reads; a buffer of none cannot be passed.
pub(in crate::engine) fn bond_table(molecules: &BondedTopology) -> Vec<f64> {
    molecules.bonded.as_ref().map(Resolved::table).filter(|table| !table.is_empty()).unwrap_or(vec![0.0])
}
