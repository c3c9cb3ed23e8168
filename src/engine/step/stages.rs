//! The calls of the fixes' functions.

use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::fix_program::{AtomSets, FixProgram};
use crate::engine::step::hooks::HookFn;
use crate::gpu::Defines;
use crate::gpu::source::File;

/// So many alike calls one after another are a loop: a thousand fixes of a style compile as fast as one.
const LOOPED: usize = 8;

/// A call of a fix's function.
#[derive(Clone, PartialEq)]
struct Call {
    name: HookFn,
    group: u32,
    called: u32,
    inside: String,
    given: String,
    /// Whether it is of the fix whose part of each step is the device's.
    own: bool,
    /// The place of the fix, and where its parameters, its memory and its sums begin.
    at: [usize; 4],
}

impl Call {
    /// How far another call's places are from these, where all else is the same.
    fn step_to(&self, next: &Call) -> Option<[usize; 4]> {
        let alike = Call { at: self.at, ..next.clone() } == *self && !self.own;
        let ahead = alike && self.at.iter().zip(next.at).all(|(here, there)| *here <= there);
        ahead.then(|| std::array::from_fn(|k| next.at[k] - self.at[k]))
    }

    /// Its text; of a loop over `each` with the steps between its places.
    fn text(&self, steps: Option<[usize; 4]>) -> String {
        let at: [String; 4] = std::array::from_fn(|k| match (k, steps) {
            (2, _) if self.own => "FEEDBACK_MEMORY".to_owned(),
            (_, Some(steps)) => format!("{} + each * {}", self.at[k], steps[k]),
            _ => self.at[k].to_string(),
        });
        let [place, first, memory, sum] = at;
        let Call { name, group, called, inside, given, .. } = self;
        let at = format!("{place}, {group}u, {called}u, {first}, {memory}, {sum}");
        format!("CALL_STAGE({name}, {at}, {inside}, {given}, a, h) ")
    }
}

/// Calls, in their order, as text. At the end of a step in which the host takes part (`chosen`) only that of the fix `which` is made.
fn text(calls: &[Call], chosen: bool) -> String {
    let mut text = String::new();
    let mut rest = calls;
    while let [first, others @ ..] = rest {
        let steps = others.first().and_then(|next| first.step_to(next));
        let alike = 1 + rest
            .windows(2)
            .take_while(|pair| steps.is_some() && pair[0].step_to(&pair[1]) == steps)
            .count();
        let place = first.at[0];
        let taken = match (steps, chosen) {
            (Some(steps), false) if alike >= LOOPED => {
                let call = first.text(Some(steps));
                text.push_str(&format!("for (uint each = 0; each < {alike}; each++) {{ {call}}} "));
                alike
            }
            (Some(steps @ [1, ..]), true) if alike >= LOOPED => {
                let call = first.text(Some(steps));
                let within = format!("which >= {place} && which < {}", place + alike);
                text.push_str(&format!("if ({within}) {{ const uint each = which - {place}; {call}}} "));
                alike
            }
            (_, true) => {
                text.push_str(&format!("if (which == {place}) {{ {}}} ", first.text(None)));
                1
            }
            _ => {
                text.push_str(&first.text(None));
                1
            }
        };
        rest = &rest[taken..];
    }
    text
}

/// The calls of the fixes' functions, in the order of the script.
#[derive(Default)]
pub(super) struct Stages {
    pub(super) files: Vec<File>,
    calls: [Vec<Call>; 6],
    /// The parameters of one step.
    pub(super) row: Vec<f64>,
    /// How many sums they make.
    pub(super) sums: usize,
    /// Those that their own functions go on with.
    pub(super) pre_force_sums: Vec<PreForceSum>,
    /// What the fix whose part of each step is the device's remembers in a step and of each atom, then what the others do of each atom.
    pub(super) memory: Vec<f64>,
    /// Where that of each fix begins.
    pub(super) memory_of: Vec<usize>,
    /// The place of that fix ([`FixProgram::coupling`]), and how much of the memory is its own.
    pub(super) feedback: Option<usize>,
    pub(super) remembered: usize,
    /// The sets of atoms that it goes on with, each by itself.
    pub(super) sets: Option<AtomSets>,
    /// Whether it moves the box, and how many sums it makes.
    pub(super) moves_box: bool,
    /// Whether any fix changes the box between rebuilds.
    pub(super) changes_box: bool,
    /// Of the calls at the end of a step those of fixes by which the host changes it.
    carriers: Vec<Call>,
    pub(super) feedback_sums: usize,
    /// The calls of its functions: of an atom, at the end of a step, before a step, for the slot of an atom.
    feedback_calls: [String; 4],
}

/// Sums that a fix's functions go on with in the same step; those of alike fixes one after another, the `which`-th of them at a time.
pub(super) struct PreForceSum {
    /// What the fixes before it do to forces, and what it adds up then.
    pub(super) calls: String,
    /// How many fixes these are.
    pub(super) count: usize,
    /// How many sums each makes.
    pub(super) sums: usize,
    /// Where those of the first one begin among all sums and where they go in the memory, and how far the next one's are from these.
    first: [usize; 2],
    step: [usize; 2],
}

impl PreForceSum {
    /// Where the sums of the `which`-th fix go in the memory.
    pub(super) fn memory(&self, which: usize) -> usize {
        self.first[1] + which * self.step[1]
    }

    /// The same as text, and before that where they begin among all sums.
    fn places(&self) -> [String; 2] {
        std::array::from_fn(|k| format!("({} + which * {})", self.first[k], self.step[k]))
    }

    /// Where they begin among all sums, as text.
    pub(super) fn first_sum(&self) -> String {
        let [first, _] = self.places();
        first
    }
}

/// A call that adds up, behind so many calls that change forces.
struct Added {
    before: usize,
    call: Call,
    sums: usize,
}

/// What is added up amid the calls that change forces. Where many alike fixes do so one after another, what they add up and the force of
/// each one are the same functions.
fn pre_force_sums(added: &[Added], forces: &[Call]) -> Vec<PreForceSum> {
    let mut pre_force_sums = Vec::new();
    let mut rest = added;
    while let [first, others @ ..] = rest {
        let steps = others.first().and_then(|next| first.call.step_to(&next.call));
        let force_steps = |k: usize| forces.get(k)?.step_to(forces.get(k + 1)?);
        let of_forces = force_steps(first.before);
        let follows = |pair: &[Added]| {
            let (here, next) = (&pair[0], &pair[1]);
            let forces_alike = here.before == first.before || force_steps(here.before - 1) == of_forces;
            let alike = here.call.step_to(&next.call) == steps && here.sums == next.sums;
            alike && forces_alike && next.before == here.before + 1
        };
        let alike = match (steps, of_forces) {
            (Some(_), Some(_)) => 1 + rest.windows(2).take_while(|pair| follows(pair)).count(),
            _ => 1,
        };
        let before = text(&forces[..first.before], false);
        let (calls, count, steps) = match (steps, of_forces) {
            (Some(steps), Some(_)) if alike >= LOOPED => {
                let force = forces[first.before].text(of_forces);
                let earlier = format!("for (uint each = 0; each < which; each++) {{ {force}}}");
                let own = first.call.text(Some(steps));
                (format!("{before}{earlier} {{ const uint each = which; {own}}} "), alike, steps)
            }
            _ => (format!("{before}{}", first.call.text(None)), 1, [0; 4]),
        };
        let [_, _, memory, sum] = first.call.at;
        let step = [steps[3], steps[2]];
        pre_force_sums.push(PreForceSum { calls, count, sums: first.sums, first: [sum, memory], step });
        rest = &rest[count..];
    }
    pre_force_sums
}

impl Stages {
    pub(super) fn new(fixes: &[FixProgram], minimizing: bool) -> Self {
        let changes_box = fixes.iter().any(|fix| fix.changes_box);
        let feedback = fixes.iter().position(|fix| fix.coupling.is_some());
        let mut stages = Stages { feedback, changes_box, ..Stages::default() };
        if let Some((fix, part)) = fixes.iter().find_map(|fix| Some((fix, fix.coupling.as_ref()?))) {
            stages.memory = [&part.numbers[..], &fix.memory].concat();
            stages.remembered = part.numbers.len();
            stages.sets.clone_from(&part.sets);
        }
        let mut added = Vec::new();
        for (place, fix) in fixes.iter().enumerate() {
            let (first, first_sum) = (stages.row.len(), stages.sums);
            let own = feedback == Some(place);
            let first_memory = if own { 0 } else { stages.memory.len() };
            if own {
                stages.memory_of.push(stages.remembered);
            } else {
                stages.memory_of.push(first_memory);
                stages.memory.extend(&fix.memory);
            }
            stages.row.extend(&fix.parameters);
            stages.sums += fix.sums;
            let Some(hooks) = fix.hooks else { continue };
            let FixProgram { group, inside, given, .. } = fix;
            let called = if hooks.everyone { 1 } else { fix.called };
            let call = |name: HookFn| Call {
                name,
                group: *group,
                called,
                inside: inside.clone(),
                given: given.clone(),
                own,
                at: [place, first, first_memory, first_sum],
            };
            let end = hooks.end_with_host.or(hooks.end_of_step);
            let force = hooks.post_force.filter(|_| fix.minimizes || !minimizing);
            if let Some(total) = hooks.pre_force_sum.filter(|_| force.is_some()) {
                stages.memory.resize(first_memory + stages.sums - first_sum, 0.0);
                let before = stages.calls[2].len();
                added.push(Added { before, call: call(total), sums: stages.sums - first_sum });
            }
            let functions = [
                hooks.initial_integrate,
                hooks.post_integrate,
                force,
                hooks.final_integrate,
                hooks.end_of_step,
                end,
            ];
            if fix.changes_box && fix.coupling.is_none() {
                stages.carriers.extend(end.map(call));
            }
            stages.calls.iter_mut().zip(functions).for_each(|(all, name)| all.extend(name.map(call)));
            if let Some(part) = &fix.coupling {
                // Sets say themselves which atoms are theirs.
                let group = if part.sets.is_some() { called } else { *group };
                stages.feed_back(part.functions, group, first);
            }
            for file in hooks.with.into_iter().chain([hooks.snippet]) {
                if !stages.files.contains(&file) {
                    stages.files.push(file);
                }
            }
        }
        stages.pre_force_sums = pre_force_sums(&added, &stages.calls[2]);
        stages
    }

    /// Takes the functions of the fix whose part of each step is the device's, for the atoms of a group; its parameters begin at `first`.
    fn feed_back(&mut self, functions: CouplingFunctions, group: u32, first: usize) {
        let CouplingFunctions { sums, measure, after, before, moves_box, slot } = functions;
        (self.feedback_sums, self.moves_box) = (sums, moves_box);
        self.feedback_calls = [
            format!("CALL_MEASURE({measure}, {group}u, {first}, a, h, virial, out) "),
            format!("{after}(s, sums, (p) + {first}, box);"),
            before.map_or("{}".to_owned(), |before| format!("{before}(s, (p) + {first}, box);")),
            slot.map_or(String::new(), |slot| format!("SLOT_OF({slot}, {group}u, {first}, a, h)")),
        ];
    }

    /// Whether nothing is done to an atom between its forces and the end of the step.
    pub(super) fn end_by_themselves(&self) -> bool {
        let [_, _, force, last, ended, _] = &self.calls;
        force.is_empty() && last.is_empty() && ended.is_empty()
    }

    /// Whether fixes change forces.
    pub(super) fn change_forces(&self) -> bool {
        let [_, _, force, ..] = &self.calls;
        !force.is_empty()
    }

    /// What the kernels have that leave the [`PreForceSum`]s amid a step, where one work-item makes whole steps (TOTALS of cl/force/whole_steps.cl).
    pub(super) fn define_totals(&self, defines: Defines) -> Defines {
        if self.pre_force_sums.is_empty() {
            return defines;
        }
        let mut defines = defines.set("TOTALS", 1).set("MEASURE", 1).set("ALL_SUMS", self.sums);
        let mut each = String::new();
        for (k, total) in self.pre_force_sums.iter().enumerate() {
            defines = defines.set(&format!("TOTAL_STAGES_{k}(a, h)"), &total.calls);
            let ([first, memory], PreForceSum { count, sums, .. }) = (total.places(), total);
            each.push_str(&format!(
                "for (uint which = 0; which < {count}; which++) LEAVE_TOTAL(TOTAL_STAGES_{k}, {first}, {sums}, {memory}) "
            ));
        }
        defines.set("EACH_TOTAL", each)
    }

    pub(super) fn define(&self, defines: Defines) -> Defines {
        let [initial, moved, force, last, ended, end] =
            std::array::from_fn(|stage| text(&self.calls[stage], stage == 5));
        let [measure, after, before, slot] = &self.feedback_calls;
        let defines = match &self.sets {
            None => defines,
            Some(_) => defines.set("SETS", 1).set("MEASURED_AT(a, h, i)", slot),
        };
        let remembered = self.sets.as_ref().map_or(self.remembered, |sets| sets.remembered);
        let defines = match self.feedback {
            None => defines,
            Some(place) => defines
                .set("FEEDBACK", place)
                .set("REMEMBERED", remembered)
                .set("FEEDBACK_SUMS", self.feedback_sums)
                .set("MEASURE_ATOM(a, h, virial, out)", measure)
                .set("FEED_AFTER(s, sums, p, box)", after)
                .set("FEED_BEFORE(s, p, box)", before),
        };
        let defines = if self.moves_box { defines.set("BOX_MOVES", 1) } else { defines };
        let defines = match self.changes_box {
            true => {
                defines.set("BOX_CHANGES", 1).set("CARRY_STAGES(a, h, which)", text(&self.carriers, true))
            }
            false => defines,
        };
        defines
            .set("INITIAL_STAGES(a, h)", format!("{initial}{moved}"))
            .set("FORCE_STAGES(a, h)", force)
            .set("FINAL_STAGES(a, h)", format!("{last}{ended}"))
            .set("END_STAGES(a, h, which)", end)
    }
}
