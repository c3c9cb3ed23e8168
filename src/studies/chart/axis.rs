//! One axis of a chart: its range, its ticks and what they say.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis. A place on it is a value, or its decimal logarithm where the axis is logarithmic.
pub(crate) struct Axis {
    log: bool,
    /// From one end to the other, as places.
    ends: Range<f64>,
    /// Values of the ticks with labels.
    ticks: Vec<f64>,
    /// Values of the fine grid between them.
    fine: Vec<f64>,
    /// Distance of the ticks of a linear axis.
    step: f64,
}

/// About so many ticks stand on a linear axis.
const TICKS: f64 = 6.0;
/// A logarithmic axis of up to so many decades has ticks at 1, 2 and 5 of each.
const FEW_DECADES: f64 = 2.5;
/// A logarithmic axis has at most about so many labelled decades, and a fine grid up to so many.
const MOST_DECADES: f64 = 10.0;
/// Free space at the ends of a logarithmic axis, as a share of its length.
const PADDING: f64 = 0.03;

impl Axis {
    /// The axis for these values. With `round` the ends of a linear one are ticks, and 0 is one of them unless
    /// it is far away; else they are the extreme values.
    pub(crate) fn new(values: impl Iterator<Item = f64>, log: bool, round: bool) -> Self {
        let (low, high) = values
            .map(|value| place(log, value))
            .filter(|place| place.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let (low, high) = match () {
            () if low > high => (0.0, 1.0),
            () if low == high => (low - 0.5, high + 0.5),
            () => (low, high),
        };
        if log { Axis::logarithmic(low, high) } else { Axis::linear(low, high, round) }
    }

    fn linear(low: f64, high: f64, round: bool) -> Self {
        let low = if round && low > 0.0 && low < 0.5 * high { 0.0 } else { low };
        let step = nice_step(high - low);
        let (low, high) =
            if round { ((low / step).floor() * step, (high / step).ceil() * step) } else { (low, high) };
        Axis { log: false, ends: low..high, ticks: multiples(low, high, step), fine: Vec::new(), step }
    }

    fn logarithmic(low: f64, high: f64) -> Self {
        let padding = PADDING * (high - low);
        let (low, high) = (low - padding, high + padding);
        let decades = high - low;
        let at = |mantissas: &[f64]| -> Vec<f64> {
            let all = (low.floor() as i32..=high.floor() as i32)
                .flat_map(|k| mantissas.iter().map(move |m| f64::from(k) + m.log10()));
            all.filter(|place| (low..=high).contains(place)).map(|place| 10f64.powf(place)).collect()
        };
        let fine = if decades <= MOST_DECADES { at(&[2., 3., 4., 5., 6., 7., 8., 9.]) } else { Vec::new() };
        let mut ticks = match () {
            () if decades <= FEW_DECADES => at(&[1., 2., 5.]),
            () if decades <= MOST_DECADES => at(&[1.]),
            () => multiples(low, high, (decades / MOST_DECADES).ceil())
                .into_iter()
                .map(|place| 10f64.powf(place))
                .collect(),
        };
        if ticks.len() < 3 {
            let (low, high) = (10f64.powf(low), 10f64.powf(high));
            ticks = multiples(low, high, nice_step(high - low));
        }
        Axis { log: true, ends: low..high, ticks, fine, step: 0.0 }
    }

    /// Whether a value has a place on the axis.
    pub(super) fn shows(&self, value: f64) -> bool {
        place(self.log, value).is_finite()
    }

    /// What the tick at a value says: `0.25`, `200`, `64 K`, `2 M`, `10⁻⁷`.
    fn label(&self, value: f64) -> String {
        if self.log || self.step >= 1000.0 || self.step < 1e-4 {
            return magnitude(value);
        }
        let digits = -(self.step.log10() + 1e-9).floor().min(0.0);
        // Adding 0.0 makes a negative zero positive.
        minus(&format!("{:.*}", digits as usize, value + 0.0))
    }
}

impl Ranged for Axis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (place(self.log, *value) - self.ends.start) / (self.ends.end - self.ends.start);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { self.fine.clone() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        let value = |place: f64| if self.log { 10f64.powf(place) } else { place };
        value(self.ends.start)..value(self.ends.end)
    }
}

impl ValueFormatter<f64> for Axis {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

fn place(log: bool, value: f64) -> f64 {
    match log {
        true if value > 0.0 => value.log10(),
        true => f64::NAN,
        false => value,
    }
}

/// 1, 2 or 5 times a power of ten, so that about [`TICKS`] of them span the length.
fn nice_step(length: f64) -> f64 {
    let rough = length / TICKS;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| rough <= step * power * 1.0001).unwrap_or(10.0);
    step * power
}

/// The multiples of `step` from `low` to `high`.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    // The ends may be off by rounding.
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// A number with the letter of its thousands, or as a power of ten where that would be long.
fn magnitude(value: f64) -> String {
    let size = value.abs();
    let letters = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " K"), (1.0, "")];
    // Four digits: ticks have fewer, the rest is rounding.
    let short = |number: f64| format!("{:.4}", number).trim_end_matches('0').trim_end_matches('.').to_owned();
    if size == 0.0 {
        return "0".to_owned();
    }
    if (0.000_999..0.999).contains(&size) {
        return minus(&short(value));
    }
    if let Some((scale, letter)) =
        letters.into_iter().find(|(scale, _)| (0.999..999.).contains(&(size / scale)))
    {
        return minus(&short(value / scale)) + letter;
    }
    let power = (size.log10() + 1e-9).floor();
    let mantissa = short(value / 10f64.powf(power));
    let exponent: String = format!("{power}")
        .chars()
        .map(|digit| digit.to_digit(10).map_or('⁻', |digit| SUPERSCRIPTS[digit as usize]))
        .collect();
    if mantissa == "1" { format!("10{exponent}") } else { minus(&mantissa) + "·10" + &exponent }
}

const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// With a real minus sign, which is as wide as a digit.
fn minus(number: &str) -> String {
    number.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(values: &[f64], log: bool, round: bool) -> String {
        let axis = Axis::new(values.iter().copied(), log, round);
        axis.ticks.iter().map(|tick| axis.label(*tick)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(&[0.0, 2.0], false, false), "0.0, 0.5, 1.0, 1.5, 2.0");
        assert_eq!(labels(&[0.3, 11.7], false, true), "0, 2, 4, 6, 8, 10, 12");
        assert_eq!(labels(&[-1.0, 2.9], false, true), "−1, 0, 1, 2, 3");
        assert_eq!(labels(&[-4.6234, -4.6200], false, true), "−4.624, −4.623, −4.622, −4.621, −4.620");
        assert_eq!(labels(&[1000.0, 18000.0], false, false), "5 K, 10 K, 15 K");
        assert_eq!(labels(&[1000.0, 18000.0], true, false), "1 K, 2 K, 5 K, 10 K");
        assert_eq!(labels(&[2048.0, 1073741824.0], true, false), "10 K, 100 K, 1 M, 10 M, 100 M, 1 G");
        assert_eq!(labels(&[0.02, 30.0], true, false), "0.1, 1, 10");
        assert_eq!(labels(&[20.0, 40.0], true, false), "20, 25, 30, 35, 40");
        assert_eq!(labels(&[1e-16, 1e-1], true, false), "10⁻¹⁶, 10⁻¹⁴, 10⁻¹², 10⁻¹⁰, 10⁻⁸, 10⁻⁶, 10⁻⁴, 0.01");
        assert_eq!(labels(&[0.0, 1.2e-6], false, true), "0, 2·10⁻⁷, 4·10⁻⁷, 6·10⁻⁷, 8·10⁻⁷, 10⁻⁶, 1.2·10⁻⁶");
    }

    #[test]
    fn no_value_or_a_single_one_has_an_axis_too() {
        for log in [false, true] {
            for values in [&[][..], &[5.0], &[f64::NAN, -0.0]] {
                let axis = Axis::new(values.iter().copied(), log, true);
                assert!(axis.ends.start < axis.ends.end && axis.ticks.len() >= 2, "{values:?}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn every_value_is_on_the_axis(a in -1e9..1e9f64, b in -1e9..1e9f64, log: bool, round: bool) {
            let axis = Axis::new([a, b].into_iter(), log, round);
            for value in [a, b].into_iter().filter(|value| axis.shows(*value)) {
                proptest::prop_assert!((0..=1000).contains(&axis.map(&value, (0, 1000))));
            }
            proptest::prop_assert!(axis.ticks.len() <= 13, "{:?}", axis.ticks);
        }
    }
}
