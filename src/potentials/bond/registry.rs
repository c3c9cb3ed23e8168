//! The table of bond styles: a new bond style gets one line here.

use crate::potentials::bond::Style;

/// Every bond style by name.
pub const STYLES: &[(&str, &dyn Style)] = &[
    ("class2", &super::class2::Class2),
    ("fene", &super::fene::Fene),
    ("fene/expand", &super::fene_expand::FeneExpand),
    ("gromos", &super::gromos::Gromos),
    ("harmonic", &super::harmonic::Harmonic),
    ("harmonic/shift", &super::harmonic_shift::HarmonicShift { cut: false }),
    ("harmonic/shift/cut", &super::harmonic_shift::HarmonicShift { cut: true }),
    ("lepton", &super::lepton::Lepton { offset: true }),
    ("morse", &super::morse::Morse),
    ("nonlinear", &super::nonlinear::Nonlinear),
    ("quartic", &super::quartic::Quartic),
    ("table", &super::table::Table { straight: true, points: 2 }),
    ("zero", &super::zero::Zero { coefficients: true }),
];
