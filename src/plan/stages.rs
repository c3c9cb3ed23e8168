//! The calls of the fixes' functions.

use crate::error::Result;
use crate::fix::{self, Call, Fix, Measured, Moment};
use crate::gpu::Defines;
use crate::kernels::File;

/// The calls of the fixes' functions, in the order of the script.
#[derive(Default)]
pub(super) struct Stages {
    pub(super) files: Vec<File>,
    calls: [String; 5],
    /// The parameters of one step.
    pub(super) row: Vec<f64>,
    /// How many sums they make.
    pub(super) sums: usize,
    /// What they remember of each atom, and where that of each fix begins.
    pub(super) memory: Vec<f64>,
    pub(super) memory_of: Vec<usize>,
}

impl Stages {
    pub(super) fn new(fixes: &[Box<dyn Fix>], moment: &Moment<'_>, minimizing: bool) -> Result<Self> {
        let mut stages = Stages::default();
        for (place, fix) in fixes.iter().enumerate() {
            let (first, first_memory, first_sum) = (stages.row.len(), stages.memory.len(), stages.sums);
            stages.memory_of.push(first_memory);
            stages.memory.extend(fix.memory().iter().flatten());
            if fix.remembers_anew() {
                let rows = fix::rows_by_id(&moment.state.host_atoms.tag)?;
                stages.memory.resize(first_memory + 3 * rows, 0.0);
            }
            let (row, inside) = fix::row(&**fix, moment)?;
            stages.row.extend(row);
            stages.sums += fix.measured().map_or(0, Measured::len);
            let Some(stage) = fix.stage() else { continue };
            let group = fix.header().group;
            let called = if stage.everyone { 1 } else { fix.groups() };
            let call = |function: Option<Call>| {
                let places = format!("{first}, {first_memory}, {first_sum}");
                let call =
                    |name| format!("CALL_STAGE({name}, {group}u, {called}u, {places}, {inside}, a, h) ");
                function.map_or(String::new(), call)
            };
            let end = match stage.end {
                Some(_) => format!("if (which == {place}) {{ {}}} ", call(stage.end)),
                None => String::new(),
            };
            let force = stage.force.filter(|_| fix.minimizes() || !minimizing);
            let calls = [stage.initial, stage.moved, force, stage.last].map(call);
            stages.calls.iter_mut().zip(calls.into_iter().chain([end])).for_each(|(all, call)| *all += &call);
            if !stages.files.contains(&stage.snippet) {
                stages.files.push(stage.snippet);
            }
        }
        Ok(stages)
    }

    pub(super) fn define(&self, defines: Defines) -> Defines {
        let [initial, moved, force, last, end] = &self.calls;
        defines
            .set("INITIAL_STAGES(a, h)", format!("{initial}{moved}"))
            .set("FORCE_STAGES(a, h)", force)
            .set("FINAL_STAGES(a, h)", last)
            .set("END_STAGES(a, h, which)", end)
    }
}
