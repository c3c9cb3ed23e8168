//! The calls of the fixes' functions.

use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::fix_program::FixProgram;
use crate::engine::step::hooks::HookFn;
use crate::gpu::Defines;
use crate::gpu::source::File;
use std::ops::Range;

/// The calls of the fixes' functions, in the order of the script.
#[derive(Default)]
pub(super) struct Stages {
    pub(super) files: Vec<File>,
    calls: [String; 6],
    /// The parameters of one step.
    pub(super) row: Vec<f64>,
    /// How many sums they make.
    pub(super) sums: usize,
    /// Those that their own functions go on with.
    pub(super) totals: Vec<Total>,
    /// What the fix whose part of each step is the device's remembers, then what they remember of each atom.
    pub(super) memory: Vec<f64>,
    /// Where that of each fix begins.
    pub(super) memory_of: Vec<usize>,
    /// The place of that fix ([`FixProgram::coupling`]), and how much of the memory is its own.
    pub(super) feedback: Option<usize>,
    pub(super) remembered: usize,
    /// Whether it moves the box, and how many sums it makes.
    pub(super) moves_box: bool,
    /// Whether any fix changes the box between rebuilds.
    changes_box: bool,
    pub(super) feedback_sums: usize,
    /// The calls of its functions: of an atom, at the end of a step, before a step.
    feedback_calls: [String; 3],
}

/// Sums that a fix's functions go on with in the same step.
pub(super) struct Total {
    /// What the fixes before it do to forces, and what it adds up then.
    pub(super) calls: String,
    /// Which they are among all sums.
    pub(super) sums: Range<usize>,
    /// Where they go in the memory.
    pub(super) memory: usize,
}

impl Stages {
    pub(super) fn new(fixes: &[FixProgram], minimizing: bool) -> Self {
        let changes_box = fixes.iter().any(|fix| fix.changes_box);
        let feedback = fixes.iter().position(|fix| fix.coupling.is_some());
        let mut stages = Stages { feedback, changes_box, ..Stages::default() };
        if let Some(part) = fixes.iter().find_map(|fix| fix.coupling.as_ref()) {
            stages.memory.clone_from(&part.numbers);
            stages.remembered = stages.memory.len();
        }
        for (place, fix) in fixes.iter().enumerate() {
            let (first, first_sum) = (stages.row.len(), stages.sums);
            let own = feedback == Some(place);
            let first_memory = if own { 0 } else { stages.memory.len() };
            stages.memory_of.push(first_memory);
            stages.memory.extend(&fix.memory);
            stages.row.extend(&fix.parameters);
            stages.sums += fix.sums;
            let Some(hooks) = fix.hooks else { continue };
            let FixProgram { group, inside, .. } = fix;
            let called = if hooks.everyone { 1 } else { fix.called };
            let call = |function: Option<HookFn>| {
                let memory = if own { "FEEDBACK_MEMORY".to_owned() } else { first_memory.to_string() };
                let places = format!("{first}, {memory}, {first_sum}");
                let call = |name| {
                    format!("CALL_STAGE({name}, {place}, {group}u, {called}u, {places}, {inside}, a, h) ")
                };
                function.map_or(String::new(), call)
            };
            let end = match hooks.end_with_host.or(hooks.end_of_step) {
                Some(name) => format!("if (which == {place}) {{ {}}} ", call(Some(name))),
                None => String::new(),
            };
            let force = hooks.post_force.filter(|_| fix.minimizes || !minimizing);
            if let Some(total) = hooks.pre_force_sum.filter(|_| force.is_some()) {
                stages.memory.resize(first_memory + stages.sums - first_sum, 0.0);
                let [_, _, before, ..] = &stages.calls;
                let calls = format!("{before}{}", call(Some(total)));
                stages.totals.push(Total { calls, sums: first_sum..stages.sums, memory: first_memory });
            }
            let calls = [
                hooks.initial_integrate,
                hooks.post_integrate,
                force,
                hooks.final_integrate,
                hooks.end_of_step,
            ]
            .map(call);
            stages.calls.iter_mut().zip(calls.into_iter().chain([end])).for_each(|(all, call)| *all += &call);
            if let Some(part) = &fix.coupling {
                let CouplingFunctions { sums, measure, after, before, moves_box } = part.functions;
                (stages.feedback_sums, stages.moves_box) = (sums, moves_box);
                stages.feedback_calls = [
                    format!("CALL_MEASURE({measure}, {group}u, {first}, a, h, virial, out) "),
                    format!("{after}(s, sums, (p) + {first}, box);"),
                    before.map_or("{}".to_owned(), |before| format!("{before}(s, (p) + {first}, box);")),
                ];
            }
            for file in hooks.with.into_iter().chain([hooks.snippet]) {
                if !stages.files.contains(&file) {
                    stages.files.push(file);
                }
            }
        }
        stages
    }

    /// Whether fixes change forces.
    pub(super) fn change_forces(&self) -> bool {
        let [_, _, force, ..] = &self.calls;
        !force.is_empty()
    }

    /// What the kernels have that leave the [`Total`]s amid a step, where one work-item makes whole steps (TOTALS of cl/step/step.cl).
    pub(super) fn define_totals(&self, defines: Defines) -> Defines {
        if self.totals.is_empty() {
            return defines;
        }
        let mut defines = defines.set("TOTALS", 1).set("MEASURE", 1).set("ALL_SUMS", self.sums);
        let mut each = String::new();
        for (k, Total { calls, sums, memory }) in self.totals.iter().enumerate() {
            defines = defines.set(&format!("TOTAL_STAGES_{k}(a, h)"), calls);
            each.push_str(&format!(
                "LEAVE_TOTAL(TOTAL_STAGES_{k}, {}, {}, {memory}) ",
                sums.start,
                sums.len()
            ));
        }
        defines.set("EACH_TOTAL", each)
    }

    pub(super) fn define(&self, defines: Defines) -> Defines {
        let [initial, moved, force, last, ended, end] = &self.calls;
        let [measure, after, before] = &self.feedback_calls;
        let defines = match self.feedback {
            None => defines,
            Some(place) => defines
                .set("FEEDBACK", place)
                .set("REMEMBERED", self.remembered)
                .set("FEEDBACK_SUMS", self.feedback_sums)
                .set("MEASURE_ATOM(a, h, virial, out)", measure)
                .set("FEED_AFTER(s, sums, p, box)", after)
                .set("FEED_BEFORE(s, p, box)", before),
        };
        let defines = if self.moves_box { defines.set("BOX_MOVES", 1) } else { defines };
        let defines = if self.changes_box { defines.set("BOX_CHANGES", 1) } else { defines };
        defines
            .set("INITIAL_STAGES(a, h)", format!("{initial}{moved}"))
            .set("FORCE_STAGES(a, h)", force)
            .set("FINAL_STAGES(a, h)", format!("{last}{ended}"))
            .set("END_STAGES(a, h, which)", end)
    }
}
