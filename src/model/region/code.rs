//! Regions as the device tests them: an expression of the position `at` and of numbers that lie among a fix's
//! parameters (`CALL_STAGE` of cl/step/integrate.cl). The formulas are those of [`Region::contains`].

use super::{Region, Shape, across};

impl Region {
    /// The test as an expression; its numbers are put behind those in `numbers`.
    pub(crate) fn code(&self, numbers: &mut Vec<f64>) -> String {
        let mut at = "at".to_owned();
        if let Some(placement) = &self.placement {
            at = format!("moved_back(at, own.p + {})", numbers.len());
            numbers.extend(placement.numbers());
        }
        let axes = ["x", "y", "z"].map(|axis| format!("{at}.{axis}"));
        let mut number = |x: f64| {
            numbers.push(x);
            format!("own.p[{}]", numbers.len() - 1)
        };
        let joined = |parts: Vec<String>, by: &str| format!("({})", parts.join(by));
        let within = match &self.shape {
            Shape::Block { lo, hi } => {
                let limits = (0..3).map(|d| between(&axes[d], &number(lo[d]), &number(hi[d])));
                joined(limits.collect(), " && ")
            }
            Shape::Sphere { centre, radius } => {
                let squares = (0..3).map(|d| square(&format!("({} - {})", axes[d], number(centre[d]))));
                let sum = joined(squares.collect(), " + ");
                format!("(sqrt{sum} <= {})", number(*radius))
            }
            Shape::Cone { axis, centre, radii, lo, hi } => {
                let squares = across(*axis).into_iter().zip(centre);
                let squares = squares.map(|(d, &c)| square(&format!("({} - {})", axes[d], number(c))));
                let (sum, along) = (joined(squares.collect(), " + "), &axes[*axis]);
                let (first, low, high) = (number(radii[0]), number(*lo), number(*hi));
                // Of a shape that changes it is the same code at each step.
                let radius = match radii[0] == radii[1] && !self.changes() {
                    true => first,
                    false => {
                        let (widens, length) = (number(radii[1] - radii[0]), number(hi - lo));
                        format!("{first} + ({along} - {low}) * {widens} / {length}")
                    }
                };
                format!("(sqrt{sum} <= {radius} && {})", between(along, &low, &high))
            }
            Shape::Ellipsoid { centre, radii: [a, b, c], flat } => {
                let (factors, most) = match flat {
                    true => (vec![*b, *a], a * b),
                    false => (vec![b * c, a * c, a * b], a * b * c),
                };
                let squares = factors.into_iter().enumerate().map(|(d, factor)| {
                    square(&format!("({} * ({} - {}))", number(factor), axes[d], number(centre[d])))
                });
                format!("({} <= {})", joined(squares.collect(), " + "), number(most * most))
            }
            Shape::Prism { lo, hi, tilt: [xy, xz, yz] } => {
                let tilts = [xy, xz, yz].map(|&tilt| number(tilt));
                // Fractions of the edges: those of the later axes are known first.
                let mut fraction = |d: usize, shift: &str| {
                    let (first, length) = (number(lo[d]), number(hi[d] - lo[d]));
                    format!("(({} - {first}{shift}) / {length})", axes[d])
                };
                let c = fraction(2, "");
                let b = fraction(1, &format!(" - {c} * {}", tilts[2]));
                let a = fraction(0, &format!(" - {b} * {} - {c} * {}", tilts[0], tilts[1]));
                joined([a, b, c].map(|x| between(&x, "0", "1")).to_vec(), " && ")
            }
            Shape::Plane { point, normal } => {
                let terms =
                    (0..3).map(|d| format!("({} - {}) * {}", axes[d], number(point[d]), number(normal[d])));
                format!("({} >= 0)", joined(terms.collect(), " + "))
            }
            Shape::Union(regions) => joined(regions.iter().map(|r| r.code(numbers)).collect(), " || "),
            Shape::Intersect(regions) => joined(regions.iter().map(|r| r.code(numbers)).collect(), " && "),
        };
        if self.inside { within } else { format!("!{within}") }
    }
}

fn between(x: &str, lo: &str, hi: &str) -> String {
    format!("{lo} <= {x} && {x} <= {hi}")
}

fn square(x: &str) -> String {
    format!("{x} * {x}")
}
