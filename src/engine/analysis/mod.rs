//! Sums over atoms, and values per atom, made on the device.
//!
//! - `reduce`: sums and extremes for thermo rows, in a fixed order
//! - `group_sums`: sums over groups that computes and formulas ask for
//! - `fix_sums`: sums that fixes make when the forces of a step are known
//! - `per_atom`: values per atom by expressions (`script::atom_expr`), their sums, and sums by bins

pub mod fix_sums;
pub mod group_sums;
pub mod per_atom;
pub mod reduce;

/// How many of at most so many work-groups have atoms to add up, of `n` in all (`part_of` in cl/common/common.cl); the others would add nothing.
/// Each has the same atoms as where all are launched.
pub(crate) fn groups_with_atoms(n: usize, most: usize) -> usize {
    n.div_ceil(n.div_ceil(most).max(1)).max(1)
}

#[cfg(test)]
mod tests {
    use super::groups_with_atoms;

    #[test]
    fn groups_without_atoms_are_left_out_and_others_stay() {
        for n in 0..5000 {
            for most in [1, 7, 256, 1024] {
                let groups = groups_with_atoms(n, most);
                assert!((1..=most).contains(&groups), "{n} {most}");
                let share = n.div_ceil(most);
                assert_eq!(n.div_ceil(groups), share, "{n} {most}");
                // The last one has atoms.
                assert!(n == 0 || (groups - 1) * share < n, "{n} {most}");
            }
        }
    }
}
