//! The table of bond styles: a new bond style gets one line here.

use crate::potentials::bond::Style;

/// Every bond style by name.
pub const STYLES: &[(&str, &dyn Style)] = &[
    ("fene", &super::fene::Fene),
    ("harmonic", &super::harmonic::Harmonic),
    ("morse", &super::morse::Morse),
    ("zero", &super::zero::Zero { coefficients: true }),
];
