//! The passes before the last one where one launch makes several steps: functions of its kernel (WITHIN of cl/force/kernel.cl).
//!
//! Each pass is put together as a program of its own is (`program.rs`), and so are forces; their files define the same names. So those of a
//! pass have an ending here, and its macros are forgotten behind it.

use super::program::{is_near_local, pass_defines, pass_files};
use crate::engine::kernels::Context;
use crate::gpu::Defines;
use crate::gpu::source::{File, put_together};
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Pass};
use std::collections::BTreeSet;

/// Whether they can be: not where a pass without slots adds up by way of local memory, which only kernels have. On GPUs not where several passes
/// have slots, for which local memory might be too small.
pub(in crate::engine) fn may_be_within(context: &Context, coefficients: &Coefficients<'_>) -> bool {
    let shape = context.shape;
    let with_slots = coefficients.passes.iter().filter(|pass| pass.has_slots()).count();
    let has_sums = with_slots < coefficients.passes.len();
    (shape.clusters || with_slots <= 1) && !(has_sums && shape.exchanges_in_memory())
}

/// Their text, which is to stand before the files of a kernel of several steps that is made with `defines`. There is room for so many partial
/// forces, and work-groups are of `local` work-items. With `tally` slots that have room for virials get them.
pub(in crate::engine) fn passes_within(
    context: &Context,
    (passes, seen): (&[Pass], PairInputs),
    defines: &Defines,
    [room, local]: [usize; 2],
    tally: bool,
) -> String {
    let [mut text, mut tables, mut calls, mut space] = [const { String::new() }; 4];
    for (index, pass) in passes.iter().enumerate() {
        let own = pass_defines(context, pass, [index, room, local], seen, tally).set("WITHIN", 1);
        let files = in_own_names(&pass_files(context, pass, seen), index);
        text += &[defines.undone(), own.lines(), files, own.undone()].concat();
        tables += &format!(", __global const real *restrict table_{index}");
        let (mut left, mut known) = ("made FOUND_PASSED".to_owned(), String::new());
        if pass.has_slots() {
            tables += &format!(", __global const real *restrict triplets_{index}");
            let virials = if seen.slot_virials { ", slot_virial" } else { "" };
            left = format!("triplets_{index}, slot_place, slot_force, slot_count{virials}");
        }
        if is_near_local(context, pass, [room, local]) {
            space += &format!("__local Surroundings_{index} surroundings_{index}; ");
            known = format!(", &surroundings_{index}");
        }
        calls += &format!(
            "first_pass_{index}(position, list, neighbors, blocks, centers, tiles, table_{index}, box, first, n, rows, stride, parts, \
             {left}, own, status, step{known} OCTANTS_PASSED); "
        );
    }
    let behind = defines.clone().set("PASS_TABLES", tables).set("PASS_CALLS", calls).set("PASS_SPACE", space);
    text + &behind.lines()
}

/// Files whose kernel, functions and types have an ending, and whose macros end with them.
fn in_own_names(files: &[File], index: usize) -> String {
    let text = put_together(files);
    let names: BTreeSet<&str> = text.lines().filter_map(name_of).chain(["first_pass"]).collect();
    let own = |piece: &str| {
        let word = piece.trim_end_matches(|c| !is_part(c));
        if names.contains(word) {
            format!("{word}_{index}{}", &piece[word.len()..])
        } else {
            piece.to_owned()
        }
    };
    let renamed = |line: &str| match line.starts_with("#line ") {
        true => line.to_owned(),
        false => line.split_inclusive(|c| !is_part(c)).map(own).collect(),
    };
    let text: String = text.split_inclusive('\n').map(renamed).collect();
    let macros: BTreeSet<&str> = text.lines().filter_map(macro_of).collect();
    let forgotten: String = macros.iter().map(|name| format!("#undef {name}\n")).collect();
    text + &forgotten
}

/// The macro that a line defines.
fn macro_of(line: &str) -> Option<&str> {
    first_word(line.trim_start().strip_prefix("#define ")?)
}

/// The function or type that a line at file scope defines.
fn name_of(line: &str) -> Option<&str> {
    let of_function = |before: &&str| line.strip_prefix(*before);
    if let Some(rest) = ["static inline ", "ALWAYS_INLINE ", "BODY "].iter().find_map(of_function) {
        return last_word(rest.split('(').next()?.trim_end());
    }
    if let Some(rest) = line.strip_prefix("} ") {
        return first_word(rest.strip_suffix(';')?);
    }
    let head = line.strip_prefix("typedef ").filter(|_| !line.contains('{'))?;
    last_word(head.split(';').next()?.split(" __attribute__").next()?)
}

fn first_word(text: &str) -> Option<&str> {
    text.split(|c| !is_part(c)).next().filter(|word| !word.is_empty())
}

fn last_word(text: &str) -> Option<&str> {
    text.rsplit(|c| !is_part(c)).next().filter(|word| !word.is_empty())
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
