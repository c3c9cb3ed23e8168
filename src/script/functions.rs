//! The functions that formulas may call.
//!
//! Source: LAMMPS manual, "variable command", sections "Math functions"; the values around their edges
//! (`sign(0)` is 1, `round(-2.5)` is -2) are those that LAMMPS prints.

use super::formula::Lookup;
use std::f64::consts::PI;

/// "No such step any more": the largest step that LAMMPS writes as a real number.
const NEVER: f64 = 9_223_372_036_854_774_784.0;

/// The slope through a single point or none, as LAMMPS has it.
const NO_SLOPE: f64 = 1e20;

/// The least and the negative of the greatest of no elements, as LAMMPS has them.
const NO_EXTREME: f64 = 1e20;

/// What functions of time look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    step: f64,
    /// Time since the span of the run began (`run start`); outside of runs, as in LAMMPS, since step 0. `None` where the time step changes on
    /// the way.
    elapsed: Option<f64>,
    /// The first and the last step of the run, while there is one.
    run: Option<[f64; 2]>,
}

impl Now {
    /// As thermo keywords have it.
    pub(super) fn of(lookup: &dyn Lookup) -> Self {
        let keyword = |name: &str| lookup.keyword(name).unwrap_or(0.0);
        let (step, begin) = (keyword("step"), lookup.keyword("beginstep"));
        Now {
            step,
            elapsed: (!lookup.changes_time_step()).then(|| (step - begin.unwrap_or(0.0)) * keyword("dt")),
            run: begin.zip(lookup.keyword("endstep")).map(|(begin, end)| [begin, end]),
        }
    }

    fn elapsed(&self) -> Result<f64, &'static str> {
        self.elapsed.ok_or("it takes the time step as constant, and fix dt/reset changes it")
    }
}

type Value = fn(&[f64], &Now) -> Result<f64, &'static str>;

/// A function of a fixed number of numbers.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) arguments: usize,
    /// Of exactly that many arguments.
    pub(super) value: Value,
}

/// What becomes of a vector; no finite number where one without elements has none.
pub(super) type Summary = fn(&[f64]) -> f64;

/// What a function whose arguments are names does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Family {
    /// A property of a group, maybe only in a region.
    Group,
    /// 1 for the atoms of a group or region.
    Members,
    /// Something that is said of the program or the script.
    Fact,
    /// The next value of a file-style variable.
    Next,
    /// A number made from a vector.
    Vector(Summary),
    /// A vector in order.
    Sorted { falling: bool },
}

/// The functions whose arguments are names: the name, what they do, and how many arguments they take.
pub(super) static NAMED: [(&str, Family, &[usize]); 34] = [
    ("count", Family::Group, &[1, 2]),
    ("mass", Family::Group, &[1, 2]),
    ("charge", Family::Group, &[1, 2]),
    ("xcm", Family::Group, &[2, 3]),
    ("vcm", Family::Group, &[2, 3]),
    ("fcm", Family::Group, &[2, 3]),
    ("bound", Family::Group, &[2, 3]),
    ("gyration", Family::Group, &[1, 2]),
    ("ke", Family::Group, &[1, 2]),
    ("angmom", Family::Group, &[2, 3]),
    ("torque", Family::Group, &[2, 3]),
    ("inertia", Family::Group, &[2, 3]),
    ("omega", Family::Group, &[2, 3]),
    ("gmask", Family::Members, &[1]),
    ("rmask", Family::Members, &[1]),
    ("grmask", Family::Members, &[2]),
    ("next", Family::Next, &[1]),
    ("is_file", Family::Fact, &[1]),
    ("is_timeout", Family::Fact, &[0]),
    ("is_defined", Family::Fact, &[2]),
    ("is_active", Family::Fact, &[2]),
    ("is_available", Family::Fact, &[2]),
    ("is_os", Family::Fact, &[1]),
    ("label2type", Family::Fact, &[2]),
    ("is_typelabel", Family::Fact, &[2]),
    ("extract_setting", Family::Fact, &[1]),
    ("sum", Family::Vector(|v| v.iter().sum()), &[1]),
    ("min", Family::Vector(|v| v.iter().copied().reduce(f64::min).unwrap_or(NO_EXTREME)), &[1]),
    ("max", Family::Vector(|v| v.iter().copied().reduce(f64::max).unwrap_or(-NO_EXTREME)), &[1]),
    ("ave", Family::Vector(|v| v.iter().sum::<f64>() / v.len() as f64), &[1]),
    ("trap", Family::Vector(trapezoid), &[1]),
    ("slope", Family::Vector(slope), &[1]),
    ("sort", Family::Sorted { falling: false }, &[1]),
    ("rsort", Family::Sorted { falling: true }, &[1]),
];

/// The integral by the trapezoidal rule, the elements one apart.
fn trapezoid(v: &[f64]) -> f64 {
    let ends = v.first().zip(v.last()).map_or(0.0, |(first, last)| first + last);
    v.iter().sum::<f64>() - 0.5 * ends
}

/// The slope of the straight line through the elements over their indices, by least squares.
fn slope(v: &[f64]) -> f64 {
    let n = v.len() as f64;
    let (mut x1, mut x2, mut y1, mut xy) = (0.0, 0.0, 0.0, 0.0);
    for (i, y) in v.iter().enumerate() {
        let x = i as f64;
        (x1, x2, y1, xy) = (x1 + x, x2 + x * x, y1 + y, xy + x * y);
    }
    let numerator = n * xy - x1 * y1;
    let denominator = n * x2 - x1 * x1;
    if denominator == 0.0 { NO_SLOPE } else { numerator / denominator }
}

const fn function(name: &'static str, arguments: usize, value: Value) -> Function {
    Function { name, arguments, value }
}

pub(super) static TABLE: [Function; 27] = [
    function("sqrt", 1, |a, _| if a[0] < 0.0 { Err("negative argument") } else { Ok(a[0].sqrt()) }),
    function("exp", 1, |a, _| Ok(a[0].exp())),
    function("ln", 1, |a, _| if a[0] <= 0.0 { Err(NOT_POSITIVE) } else { Ok(a[0].ln()) }),
    function("log", 1, |a, _| if a[0] <= 0.0 { Err(NOT_POSITIVE) } else { Ok(a[0].log10()) }),
    function("abs", 1, |a, _| Ok(a[0].abs())),
    function("sign", 1, |a, _| Ok(if a[0] >= 0.0 { 1.0 } else { -1.0 })),
    function("sin", 1, |a, _| Ok(a[0].sin())),
    function("cos", 1, |a, _| Ok(a[0].cos())),
    function("tan", 1, |a, _| Ok(a[0].tan())),
    function("asin", 1, |a, _| if a[0].abs() > 1.0 { Err(NOT_A_SINE) } else { Ok(a[0].asin()) }),
    function("acos", 1, |a, _| if a[0].abs() > 1.0 { Err(NOT_A_SINE) } else { Ok(a[0].acos()) }),
    function("atan", 1, |a, _| Ok(a[0].atan())),
    function("atan2", 2, |a, _| Ok(a[0].atan2(a[1]))),
    function("ceil", 1, |a, _| Ok(a[0].ceil())),
    function("floor", 1, |a, _| Ok(a[0].floor())),
    // Halves go up, as in LAMMPS.
    function("round", 1, |a, _| Ok(if a[0] - a[0].floor() >= 0.5 { a[0].ceil() } else { a[0].floor() })),
    function("ternary", 3, |a, _| Ok(if a[0] != 0.0 { a[1] } else { a[2] })),
    function("ramp", 2, ramp),
    function("stagger", 2, stagger),
    function("logfreq", 3, logfreq),
    function("logfreq2", 3, logfreq2),
    function("logfreq3", 3, logfreq3),
    function("stride", 3, stride),
    function("stride2", 6, stride2),
    function("vdisplace", 2, |a, now| Ok(a[0] + a[1] * now.elapsed()?)),
    function("swiggle", 3, |a, now| Ok(a[0] + a[1] * phase(a[2], now)?.sin())),
    function("cwiggle", 3, |a, now| Ok(a[0] + a[1] * (1.0 - phase(a[2], now)?.cos()))),
];

const NOT_POSITIVE: &str = "the argument must be greater than 0";
const STAGGER_STEPS: &str = "(x,y) are steps with 0 < y < x";
const LOGFREQ_STEPS: &str = "(x,y,z) are integers with 0 < x and 0 < y < z";
const LOGFREQ2_STEPS: &str = "(x,y,z) are integers with 0 < x, 0 < y and 1 < z";
const LOGFREQ3_STEPS: &str = "(x,y,z) are integers with 0 < x < z and 1 < y <= z - x + 1, a million at most";
const STRIDE_STEPS: &str = "(x,y,z) are steps with 0 <= x <= y and 0 < z: every z steps from x to y";
const STRIDE2_STEPS: &str = "(x,y,z,a,b,c) are steps with 0 <= x <= a < b <= y, 0 < z and 0 < c: every z steps from x to y, but every c steps from a to b";
const NOT_A_SINE: &str = "the argument must lie between -1 and 1";

fn phase(period: f64, now: &Now) -> Result<f64, &'static str> {
    if period <= 0.0 {
        Err("the period must be greater than 0")
    } else {
        Ok(2.0 * PI / period * now.elapsed()?)
    }
}

/// From the first to the second number over the run; the first outside of a run.
fn ramp(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let fraction = match now.run {
        Some([begin, end]) if end > begin => (now.step - begin) / (end - begin),
        _ => 0.0,
    };
    Ok(a[0] + (a[1] - a[0]) * fraction)
}

/// The next step after `step` on the grid `from`, `from + by`, ... for `step >= from`.
fn next_on_grid(from: f64, by: f64, step: f64) -> f64 {
    from + (((step - from) / by).floor() + 1.0) * by
}

fn whole(a: &[f64]) -> Vec<f64> {
    a.iter().map(|x| x.trunc()).collect()
}

fn stagger(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [period, offset] = whole(a)[..] else { return Err(STAGGER_STEPS) };
    if offset <= 0.0 || period <= offset {
        return Err(STAGGER_STEPS);
    }
    let step = now.step;
    let base = (step / period).floor() * period;
    Ok(if step - base < offset { base + offset } else { base + period })
}

/// The largest `x * z^k` that is at most `step`.
fn decade(x: f64, z: f64, step: f64) -> f64 {
    let mut base = x;
    while base * z <= step {
        base *= z;
    }
    base
}

/// x, 2x, ... yx, zx, 2zx, ... yzx, ...
fn logfreq(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [x, y, z] = whole(a)[..] else { return Err(LOGFREQ_STEPS) };
    if x <= 0.0 || y <= 0.0 || z <= y {
        return Err(LOGFREQ_STEPS);
    }
    let step = now.step;
    if step < x {
        return Ok(x);
    }
    let base = decade(x, z, step);
    let multiple = (step / base).floor();
    Ok(if multiple < y { (multiple + 1.0) * base } else { z * base })
}

/// Every decade from x by factors of z is cut into y equal parts.
fn logfreq2(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [x, y, z] = whole(a)[..] else { return Err(LOGFREQ2_STEPS) };
    if x <= 0.0 || y <= 0.0 || z <= 1.0 {
        return Err(LOGFREQ2_STEPS);
    }
    let step = now.step;
    if step < x {
        return Ok(x);
    }
    let base = decade(x, z, step);
    Ok(next_on_grid(base, base * (z - 1.0) / y, step).ceil())
}

/// y steps from x to z, no two of them the same: evenly spaced in their logarithm, but the k-th one is x + k at least.
fn logfreq3(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [x, y, z] = whole(a)[..] else { return Err(LOGFREQ3_STEPS) };
    // More points than a million would only be searched in vain.
    if x <= 0.0 || y <= 1.0 || y > 1e6 || z <= x || y > z - x + 1.0 {
        return Err(LOGFREQ3_STEPS);
    }
    let step = now.step;
    if step < x {
        return Ok(x);
    }
    if step >= z {
        return Ok(NEVER);
    }
    // Products, not powers: where a point is a whole number their roundings decide, and these are LAMMPS's.
    let factor = (z / x).powf(1.0 / (y - 1.0));
    let (mut even, mut least, mut point) = (x, x, x);
    while point <= step {
        even *= factor;
        least += 1.0;
        point = if least > even { least } else { even.ceil() - ((even.ceil() - 1.0) / z).floor() };
    }
    Ok(point)
}

/// Every z steps from x to y.
fn stride(a: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [x, y, z] = whole(a)[..] else { return Err(STRIDE_STEPS) };
    if x < 0.0 || z <= 0.0 || y < x {
        return Err(STRIDE_STEPS);
    }
    let step = now.step;
    Ok(if step < x { x } else { until(y, next_on_grid(x, z, step)) })
}

/// Every z steps from x to y, but every c steps from a to b.
fn stride2(args: &[f64], now: &Now) -> Result<f64, &'static str> {
    let [x, y, z, a, b, c] = whole(args)[..] else { return Err(STRIDE2_STEPS) };
    if x < 0.0 || z <= 0.0 || y < x || a < x || c <= 0.0 || b <= a || y < b {
        return Err(STRIDE2_STEPS);
    }
    let step = now.step;
    let coarse = || next_on_grid(x, z, step);
    Ok(if step < x {
        x
    } else if step < a {
        coarse().min(a)
    } else {
        let fine = next_on_grid(a, c, step);
        until(y, if fine <= b { fine } else { coarse() })
    })
}

fn until(last: f64, step: f64) -> f64 {
    if step <= last { step } else { NEVER }
}
