//! The passes before the last one where one launch makes several steps: functions of its kernel (WITHIN of cl/force/kernel.cl).
//!
//! Each pass is put together as a program of its own is (`program.rs`), and so are forces; their files define the same names. So those of a
//! pass have an ending here, and its macros are forgotten behind it.

use super::program::{is_near_local, pass_defines, pass_files};
use crate::engine::kernels::Context;
use crate::gpu::Defines;
use crate::gpu::source::File;
use crate::potentials::pair::style::PairInputs;
use crate::potentials::pair::{Coefficients, Pass};
use std::collections::BTreeSet;

/// Whether they can be: where virials of slots are not wanted, by work-items that exchange nothing by way of local memory, which only kernels
/// have. On GPUs not where several passes have slots, for which local memory might be too small, nor where the box moves by what slots add
/// to virials: on PoCL these steps have other bits (docs/notes/many-body.md).
pub(in crate::engine) fn may_be_within(
    context: &Context,
    coefficients: &Coefficients<'_>,
    moves_box: bool,
) -> bool {
    let (shape, seen) = (context.shape, coefficients.seen);
    let in_slots = seen.slot_virials || moves_box && seen.slot_sets > 0 && !shape.clusters;
    let with_slots = coefficients.passes.iter().filter(|pass| pass.has_slots()).count();
    !in_slots && (shape.clusters || with_slots <= 1) && (shape.lanes == 1 || shape.exchange.in_registers())
}

/// Their text, which is to stand before the files of a kernel of several steps that is made with `defines`. There is room for so many partial
/// forces, and work-groups are of `local` work-items.
pub(in crate::engine) fn passes_within(
    context: &Context,
    (passes, seen): (&[Pass], PairInputs),
    defines: &Defines,
    [room, local]: [usize; 2],
) -> String {
    let [mut text, mut tables, mut calls, mut space] = [const { String::new() }; 4];
    for (index, pass) in passes.iter().enumerate() {
        let own = pass_defines(context, pass, [index, room, local], seen, false).set("WITHIN", 1);
        let files = in_own_names(&pass_files(context, pass, seen), index);
        text += &[defines.undone(), own.lines(), files, own.undone()].concat();
        tables += &format!(", __global const real *restrict table_{index}");
        let (left, known) = if pass.has_slots() {
            tables += &format!(", __global const real *restrict triplets_{index}");
            let is_local = is_near_local(context, pass, [room, local]);
            if is_local {
                space += &format!("__local Surroundings_{index} surroundings_{index}; ");
            }
            let known = if is_local { format!(", &surroundings_{index}") } else { String::new() };
            (format!("triplets_{index}, slot_place, slot_force, slot_count"), known)
        } else {
            ("made FOUND_PASSED".to_owned(), String::new())
        };
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
    let lines = files.iter().flat_map(|(_, text)| text.lines());
    let names: BTreeSet<&str> = lines.filter_map(name_of).chain(["first_pass"]).collect();
    let renamed = |text: &str| -> String {
        let own = |part: &str| if names.contains(part) { format!("{part}_{index}") } else { part.to_owned() };
        parts(text).map(own).collect()
    };
    let text: String =
        files.iter().map(|(name, text)| format!("#line 1 \"cl/{name}\"\n{}\n", renamed(text))).collect();
    let macros: BTreeSet<&str> = text.lines().filter_map(macro_of).collect();
    let forgotten: String = macros.iter().map(|name| format!("#undef {name}\n")).collect();
    text + &forgotten
}

/// The words of a text, and what stands between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let in_word = rest.starts_with(is_part);
        let end = rest.find(|c| is_part(c) != in_word).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        rest = behind;
        (!part.is_empty()).then_some(part)
    })
}

/// The macro that a line defines.
fn macro_of(line: &str) -> Option<&str> {
    identifier(line.trim_start().strip_prefix("#define ")?.trim_start())
}

/// The function or type that a line at file scope defines.
fn name_of(line: &str) -> Option<&str> {
    let last = |text: &'_ str| text.rfind(|c: char| !is_part(c)).map_or(0, |at| at + 1);
    if let Some(rest) = line.strip_prefix("static inline ") {
        let head = rest.split('(').next()?.trim_end();
        return identifier(&head[last(head)..]);
    }
    if let Some(rest) = line.strip_prefix("} ") {
        return identifier(rest.strip_suffix(';')?);
    }
    let head = line.strip_prefix("typedef ")?.split(';').next()?.split(" __attribute__").next()?;
    if line.contains('{') { None } else { identifier(&head[last(head)..]) }
}

fn identifier(text: &str) -> Option<&str> {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}
