//! `pair_style hybrid` and `hybrid/overlay`: the `pair_eval` of several styles in one kernel.

use crate::kernels::File;

/// The files that define `pair_eval` as the sum of these styles' own, each within its own cutoff. Among the
/// coefficients those of a style, cutoff^2 first, are as many as its width, one style's after the other's.
pub(super) fn files(snippets: &[File], widths: &[usize]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut parts = String::new();
    let mut at = 0;
    for (k, (snippet, width)) in snippets.iter().zip(widths).enumerate() {
        // A style that occurs twice has one function.
        let first = snippets.iter().position(|other| other.0 == snippet.0).unwrap_or(k);
        if first == k {
            files.push((format!("hybrid: before style {k}"), format!("#define pair_eval pair_eval_{k}\n")));
            files.push((snippet.0.to_owned(), snippet.1.to_owned()));
            let after = format!(
                "#undef pair_eval\n\
                 #ifdef SAMPLED\n\
                 #undef SAMPLED\n\
                 #define ANY_SAMPLED\n\
                 #define EVALUATE_{k}(c, energy) pair_eval_{k}(rsq, c, samples, energy)\n\
                 #else\n\
                 #define EVALUATE_{k}(c, energy) pair_eval_{k}(rsq, c, energy)\n\
                 #endif\n"
            );
            files.push((format!("hybrid: after style {k}"), after));
        }
        parts.push_str(&format!(" PART(EVALUATE_{first}, {at})"));
        at += width;
    }
    files.push(("hybrid: parts".to_owned(), format!("#define PARTS{parts}\n")));
    files.push(("pair/hybrid.cl".to_owned(), include_str!("../../cl/pair/hybrid.cl").to_owned()));
    files
}
