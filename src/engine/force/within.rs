//! The passes before the last one where one launch makes several steps: functions of its kernel (WITHIN of cl/force/kernel.cl).
//!
//! Each pass is put together as a program of its own is (`program.rs`), and so are forces; their files define the same names. So those of a
//! pass have an ending here, and its macros are forgotten behind it.

use super::program::{pass_defines, pass_files};
use crate::engine::kernels::Context;
use crate::gpu::Defines;
use crate::gpu::source::File;
use crate::potentials::pair::Coefficients;
use std::collections::BTreeSet;

/// Whether they can be: numbers of atoms, by work-items that exchange nothing by way of local memory, which only kernels have.
pub(in crate::engine) fn may_be_within(context: &Context, coefficients: &Coefficients<'_>) -> bool {
    let shape = context.shape;
    coefficients.seen.slot_sets == 0 && (shape.lanes == 1 || shape.exchange.in_registers())
}

/// Their text, which is to stand before the files of a kernel of several steps that is made with `defines`; its work-groups are of `local`
/// work-items.
pub(in crate::engine) fn passes_within(
    context: &Context,
    coefficients: &Coefficients<'_>,
    defines: &Defines,
    local: usize,
) -> (String, String) {
    let seen = coefficients.seen;
    let passes = coefficients.passes.iter().enumerate();
    let functions = passes.clone().map(|(index, pass)| {
        let own =
            pass_defines(context, pass, [index, 0], seen, false).set("PAIR_LOCAL", local).set("WITHIN", 1);
        let functions = in_own_names(&pass_files(context, pass, seen), index);
        defines.undone() + &own.lines() + &functions + &own.undone()
    });
    let functions: String = functions.collect();
    let [tables, calls] =
        [pass_table, pass_call].map(|each| passes.clone().map(|(index, _)| each(index)).collect::<String>());
    let found = defines.clone().set("PASS_TABLES", tables).set("PASS_CALLS", calls);
    ("passes".to_owned(), functions + &found.lines())
}

/// The argument that has the coefficients of a pass.
fn pass_table(index: usize) -> String {
    format!(", __global const real *restrict table_{index}")
}

/// Makes a pass. The arguments are PAIR_ARGUMENTS and OUTPUT_ARGUMENTS of cl/force/first_pass.cl.
fn pass_call(index: usize) -> String {
    format!(
        "first_pass_{index}(position, list, neighbors, blocks, centers, tiles, table_{index}, box, first, n, rows, stride, parts, \
         made FOUND_PASSED, own, status, step OCTANTS_PASSED); "
    )
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
