//! Settings of minimizations (`min_style`, `min_modify`). Minimizations run in `run/minimize/`.

pub mod damped;
pub mod line_search;
use crate::session::minimize::line_search::Search;

/// `min_style`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    ConjugateGradient,
    SteepestDescent,
    Fire,
    QuickMin,
}

pub(crate) const STYLES: [(&str, Style); 4] = [
    ("cg", Style::ConjugateGradient),
    ("sd", Style::SteepestDescent),
    ("fire", Style::Fire),
    ("quickmin", Style::QuickMin),
];

/// How long a vector of forces is, for the force tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    /// Its Euclidean length.
    Two,
    /// The largest component.
    Inf,
    /// The longest force on an atom.
    Max,
}

pub(crate) const NORMS: [(&str, Norm); 3] = [("two", Norm::Two), ("inf", Norm::Inf), ("max", Norm::Max)];

/// `min_style` and `min_modify`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub(crate) style: Style,
    /// The farthest that a coordinate goes in an iteration, in distance units.
    pub(crate) dmax: f64,
    pub(crate) norm: Norm,
    pub(crate) search: Search,
    pub(crate) damped: damped::Settings,
}

impl Settings {
    /// Whether searches go along lines, not by damped motion.
    pub(crate) fn goes_along_lines(&self) -> bool {
        matches!(self.style, Style::ConjugateGradient | Style::SteepestDescent)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            style: Style::ConjugateGradient,
            dmax: 0.1,
            norm: Norm::Two,
            search: Search::Quadratic,
            damped: damped::Settings::default(),
        }
    }
}
