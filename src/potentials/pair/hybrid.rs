//! `pair_style hybrid`, `hybrid/overlay` and `hybrid/scaled`: the functions of several styles in one kernel.

use crate::gpu::source::{self, kernel_file};

/// One of several styles.
pub(super) struct Part {
    /// The name and the text of its functions.
    pub(super) snippet: (String, String),
    /// Its numbers among the coefficients of a pair, cutoff^2 first.
    pub(super) width: usize,
    pub(super) charged: bool,
    /// Whether it has friction.
    pub(super) friction: bool,
    /// Of a style of many bodies: where its own begin among the numbers that passes have made of each atom.
    pub(super) made: Option<usize>,
    /// Whether the last of its numbers is how many times it counts.
    pub(super) scaled: bool,
}

/// The files that define `pair_eval` as the sum of these styles' own, each within its own cutoff, and `coulomb_eval`
/// and `friction_eval` where
/// there are charges and friction. Among the coefficients those of one style come after the other's.
pub(super) fn files(parts: &[Part]) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let [mut sums, mut vector_sums, mut charged_sums, mut friction_sums] = [const { String::new() }; 4];
    let mut at = 0;
    for (k, Part { snippet, width, charged, friction, made, scaled }) in parts.iter().enumerate() {
        // A style that occurs twice has one function.
        let first = parts.iter().position(|other| other.snippet.0 == snippet.0).unwrap_or(k);
        if first == k {
            let before = ["pair_eval", "pair_vector", "coulomb_eval", "friction_eval"];
            let before = before.map(|name| format!("#define {name} {name}_{k}\n")).concat();
            files.push((format!("hybrid: before style {k}"), before));
            files.push(snippet.clone());
            let seen = if made.is_some() { ", mine + (made), theirs + (made)" } else { "" };
            let after = format!(
                "#undef pair_eval\n\
                 #undef pair_vector\n\
                 #undef coulomb_eval\n\
                 #undef friction_eval\n\
                 #ifdef COULOMB_OF_ATOMS\n\
                 #undef COULOMB_OF_ATOMS\n\
                 #define COULOMB_{k}(c, made, energy) coulomb_eval_{k}(rsq, lack, c{seen}, energy)\n\
                 #else\n\
                 #define COULOMB_{k}(c, made, energy) coulomb_eval_{k}(rsq, lack, c, energy)\n\
                 #endif\n\
                 #define FRICTION_{k}(c, noise) friction_eval_{k}(rsq, c, noise)\n\
                 #ifdef SAMPLED\n\
                 #undef SAMPLED\n\
                 #define ANY_SAMPLED\n\
                 #define EVALUATE_{k}(c, made, energy) pair_eval_{k}(rsq, c, samples{seen}, energy)\n\
                 #define TABLES_{k}(c) c, samples\n\
                 #else\n\
                 #define EVALUATE_{k}(c, made, energy) pair_eval_{k}(rsq, c{seen}, energy)\n\
                 #define TABLES_{k}(c) c\n\
                 #endif\n\
                 #ifdef VECTOR_FORCES\n\
                 #undef VECTOR_FORCES\n\
                 #define ANY_VECTOR_FORCES\n\
                 #define VECTOR_{k}(c, made, f) pair_vector_{k}(dx, dy, dz, rsq, TABLES_{k}(c){seen}, f)\n\
                 #else\n\
                 #define VECTOR_{k}(c, made, f)\n\
                 #endif\n"
            );
            files.push((format!("hybrid: after style {k}"), after));
        }
        let own = made.unwrap_or(0);
        let times = if *scaled { format!("c[{}] *", at + width - 1) } else { String::new() };
        sums.push_str(&format!(" PART(EVALUATE_{first}, {at}, {own}, {times})"));
        vector_sums.push_str(&format!(" VECTOR_PART(VECTOR_{first}, {at}, {own}, {times})"));
        if *charged {
            charged_sums.push_str(&format!(" PART(COULOMB_{first}, {at}, {own}, {times})"));
        }
        if *friction {
            friction_sums.push_str(&format!(" FRICTION_PART(FRICTION_{first}, {at}, {times})"));
        }
        at += width;
    }
    let parts = format!(
        "#define PARTS{sums}\n#define VECTOR_PARTS{vector_sums}\n#define CHARGED_PARTS{charged_sums}\n\
         #define FRICTION_PARTS{friction_sums}\n"
    );
    files.push(("hybrid: parts".to_owned(), parts));
    files.push(source::owned(kernel_file!("pair/hybrid.cl")));
    files
}
