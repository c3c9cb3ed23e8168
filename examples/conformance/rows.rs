//! Rows of thermo output of two programs, side by side: how far they are the same, and whether their averages are.

use crate::log::{Number, Rows};

/// Digits to which the first row is to agree.
pub(crate) const FIRST_ROW: f64 = 8.0;
/// Digits to which the others are to, until the motion turns chaotic.
pub(crate) const ROWS: f64 = 6.0;
/// Standard errors by which an average may differ.
pub(crate) const SIGMAS: f64 = 4.0;
/// Part of a column's largest value that a difference of averages must exceed to count: total energies wander
/// by this much as rounding differs, and have no average to return to.
const NEGLIGIBLE: f64 = 1e-4;
/// Part of a row's largest number that is rounding where numbers of that size cancel: some units of a double's last digit.
const ROUNDING: f64 = 1e-14;
/// Columns that tell time.
const CLOCKS: [&str; 5] = ["CPU", "T/CPU", "S/CPU", "CPULeft", "Timeout"];

/// Where two outputs part.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parting {
    /// Run, counted from 0, and row in it.
    pub(crate) place: (usize, usize),
    /// Steps done before it, over all runs.
    pub(crate) steps: f64,
    /// The column that differs most, or what else is different.
    pub(crate) what: String,
    /// Digits that it still has.
    pub(crate) digits: f64,
}

/// What the numbers of a column are measured by.
#[derive(Clone, Copy)]
struct Measure {
    /// The largest value, not less than what cancels to nothing.
    scale: f64,
    /// Most significant digits of a number; trailing zeros may be left out, so that one number does not show it.
    printed: i32,
}

impl Measure {
    /// Digits to which two numbers are the same; infinite where the last printed digit differs by one at most.
    fn digits(self, a: Number, b: Number) -> f64 {
        let difference = (a.value - b.value).abs();
        let size = a.value.abs().max(b.value.abs());
        let unit = 10f64.powi(size.log10().floor() as i32 + 1 - self.printed);
        if difference == 0.0 || difference <= 1.01 * unit || a.value.is_nan() && b.value.is_nan() {
            return f64::INFINITY;
        }
        if difference.is_finite() { -(difference / self.scale).log10() } else { 0.0 }
    }
}

/// Measures of the columns that two outputs have in common.
fn measures(ours: &Rows, theirs: &Rows) -> Vec<Measure> {
    let measure = |k: usize| {
        let digits = ours.rows.iter().chain(&theirs.rows).map(|row| row[k].digits);
        let values = theirs.rows.iter().map(|row| row[k].value.abs()).filter(|value| value.is_finite());
        Measure { scale: values.fold(1e-6, f64::max), printed: digits.max().unwrap_or_default() }
    };
    (0..theirs.heads.len()).map(measure).collect()
}

/// The first row that agrees to fewer than `wanted` digits, of the first `runs` runs.
pub(crate) fn parting(ours: &[Rows], theirs: &[Rows], wanted: f64) -> Option<Parting> {
    let mut before = 0.0;
    for (run, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let parting = |row, steps, what, digits| {
            Some(Parting { place: (run, row), steps: before + steps, what, digits })
        };
        if a.heads != b.heads {
            let ours = a.heads.join(" ");
            return parting(0, 0.0, format!("headings {ours}"), 0.0);
        }
        let measures = measures(a, b);
        let step = b.column("Step");
        let since = |row: usize| match (step, b.rows.get(row)) {
            (Some(k), Some(y)) => y[k].value - b.rows[0][k].value,
            _ => row as f64,
        };
        for (row, (x, y)) in a.rows.iter().zip(&b.rows).enumerate() {
            let columns = || (0..y.len()).filter(|k| !CLOCKS.contains(&&*b.heads[*k]));
            let sizes = columns().filter(|&k| Some(k) != step).map(|k| y[k].value.abs());
            let rounding = ROUNDING * sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
            let digits = |k: usize| match (x[k].value - y[k].value).abs() <= rounding {
                true => f64::INFINITY,
                false => measures[k].digits(x[k], y[k]),
            };
            let worst = columns().map(|k| (digits(k), k)).min_by(|a, b| a.0.total_cmp(&b.0));
            if let Some((digits, k)) = worst
                && digits < wanted
            {
                return parting(row, since(row), b.heads[k].clone(), digits);
            }
        }
        if a.rows.len() != b.rows.len() {
            let row = a.rows.len().min(b.rows.len());
            let what = format!("{} rows, {} in LAMMPS", a.rows.len(), b.rows.len());
            return parting(row, since(row.saturating_sub(1)), what, 0.0);
        }
        before += b.rows.len().checked_sub(1).map_or(0.0, since);
    }
    (ours.len() != theirs.len()).then(|| Parting {
        place: (ours.len().min(theirs.len()), 0),
        steps: before,
        what: format!("{} runs, {} in LAMMPS", ours.len(), theirs.len()),
        digits: 0.0,
    })
}

/// Steps of all runs together.
pub(crate) fn steps(runs: &[Rows]) -> f64 {
    let steps = |run: &Rows| {
        let k = run.column("Step")?;
        Some(run.rows.last()?[k].value - run.rows.first()?[k].value)
    };
    runs.iter().filter_map(steps).fold(0.0, |sum, steps| sum + steps)
}

/// An average that was compared.
#[derive(Clone, Debug)]
pub(crate) struct Average {
    /// Its column.
    pub(crate) column: String,
    /// How far ours is from LAMMPS's, in units of the largest value of the column.
    pub(crate) difference: f64,
    /// The same in standard errors.
    pub(crate) sigmas: f64,
}

/// The averages of all columns over the rows from a place on, the one furthest off last. The standard error is that of
/// the difference of rows at the same step, from block averages, so that what both programs' rows follow alike (heating,
/// pulling) is no noise; or the scatter among LAMMPS's runs, `theirs` and varied ones, where that is larger. Empty with
/// fewer than eight rows.
pub(crate) fn averages(
    ours: &[Rows],
    theirs: &[Rows],
    varied: &[Vec<Rows>],
    from: (usize, usize),
) -> Vec<Average> {
    let mut columns: Vec<&str> = Vec::new();
    for head in theirs.iter().flat_map(|run| &run.heads).filter(|head| !CLOCKS.contains(&head.as_str())) {
        if !columns.contains(&head.as_str()) {
            columns.push(head);
        }
    }
    let average = |column: &str| {
        let differences = differences(ours, theirs, column, from);
        let scale = theirs
            .iter()
            .filter_map(|run| Some(measures(run, run)[run.column(column)?].scale))
            .fold(1e-6, f64::max);
        let own = varied.iter().map(|again| self::differences(again, theirs, column, from));
        let own: Vec<f64> = own.filter(|own| !own.is_empty()).map(|own| mean(&own)).collect();
        let difference = mean(&differences);
        let sigmas = if difference.abs() <= NEGLIGIBLE * scale {
            0.0
        } else if differences.iter().any(|difference| !difference.is_finite()) {
            // Infinite, or no number, in one program alone.
            f64::INFINITY
        } else {
            blocks(&differences)?.min(among(difference, &own))
        };
        Some(Average { column: column.to_owned(), difference: difference / scale, sigmas })
    };
    let mut averages: Vec<Average> = columns.into_iter().filter_map(average).collect();
    averages.sort_by(|a, b| a.sigmas.total_cmp(&b.sigmas));
    averages
}

/// Differences of a column, row by row, from a place on: rows of the same run and step.
fn differences(ours: &[Rows], theirs: &[Rows], column: &str, from: (usize, usize)) -> Vec<f64> {
    let mut differences = Vec::new();
    for (run, (a, b)) in ours.iter().zip(theirs).enumerate().skip(from.0) {
        let (Some(i), Some(j)) = (a.column(column), b.column(column)) else { continue };
        let (step_a, step_b) = (a.column("Step"), b.column("Step"));
        let rows = a.rows.iter().zip(&b.rows).skip(if run == from.0 { from.1 } else { 0 });
        let same = rows.filter(|(x, y)| step_a.map(|k| x[k].value) == step_b.map(|k| y[k].value));
        let pairs = same.map(|(x, y)| (x[i].value, y[j].value));
        differences.extend(pairs.map(|(x, y)| match x == y || x.is_nan() && y.is_nan() {
            true => 0.0,
            false => x - y,
        }));
    }
    differences
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

/// The mean in units of its standard error, from averages over 8, 16 and 32 blocks: the least of what these say, as
/// blocks that are too short make the error too small. None with fewer than eight numbers.
fn blocks(x: &[f64]) -> Option<f64> {
    let sigmas = |blocks: usize| {
        let length = x.len() / blocks;
        let means: Vec<f64> = x[x.len() - blocks * length..].chunks(length).map(mean).collect();
        let middle = mean(&means);
        normal(middle * middle / (variance(&means) / blocks as f64), blocks - 1)
    };
    [8, 16, 32].into_iter().filter(|blocks| *blocks <= x.len()).map(sigmas).reduce(f64::min)
}

/// How far a run is from LAMMPS's, in units of the scatter among these: given as differences from LAMMPS's first run, `own`
/// of its others. With one other run, the ratio of the two; with more, Student's test of one number against several.
fn among(difference: f64, own: &[f64]) -> f64 {
    match own {
        [] => f64::INFINITY,
        [own] => difference.abs() / own.abs(),
        own => {
            let all = [&[0.0], own].concat();
            let count = all.len() as f64;
            let t2 = (difference - mean(&all)).powi(2) / (variance(&all) * (1.0 + 1.0 / count));
            normal(t2, all.len() - 1)
        }
    }
}

fn variance(x: &[f64]) -> f64 {
    let middle = mean(x);
    x.iter().map(|x| (x - middle).powi(2)).sum::<f64>() / (x.len() as f64 - 1.0)
}

/// Student's t of so many degrees of freedom, squared, as standard errors of a normal distribution (D. L. Wallace, Ann.
/// Math. Statist. 30, 1121 (1959)).
fn normal(t2: f64, freedom: usize) -> f64 {
    let freedom = freedom as f64;
    if t2.is_nan() {
        return 0.0;
    }
    (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) * (freedom * (t2 / freedom).ln_1p()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(heads: &str, lines: &[&str]) -> Rows {
        let words =
            |line: &str| line.split_whitespace().map(|w| Number::read(w).expect("a number")).collect();
        Rows {
            heads: heads.split_whitespace().map(str::to_owned).collect(),
            rows: lines.iter().map(|line| words(line)).collect(),
        }
    }

    #[test]
    fn rows_part_where_digits_are_lost() {
        let theirs = [rows("Step Temp CPU", &["0 1.5 0", "10 1.25 3", "20 1.0 4"])];
        let ours = [rows("Step Temp CPU", &["0 1.5 0", "10 1.2500001 1", "20 1.0010000 9"])];
        let parted = parting(&ours, &theirs, ROWS).expect("they part");
        assert_eq!((parted.place, parted.steps, &*parted.what), ((0, 2), 20.0, "Temp"));
        assert!((parted.digits - 3.18).abs() < 0.01, "{}", parted.digits);
        assert_eq!(parting(&theirs, &theirs, ROWS), None);
        assert_eq!(steps(&theirs), 20.0);
        let fewer = [rows("Step Temp CPU", &["0 1.5 0"])];
        assert_eq!(parting(&fewer, &theirs, ROWS).map(|p| p.what), Some("1 rows, 3 in LAMMPS".into()));
        let other = [rows("Step T CPU", &["0 1.5 0"])];
        assert_eq!(parting(&other, &theirs, ROWS).map(|p| p.what), Some("headings Step T CPU".into()));
        // Trailing zeros may be left out, and one unit of the last printed digit is rounding.
        let digit = [rows("Step Temp CPU", &["0 1.5 0", "10 1.25 1", "20 1.0001000 9"])];
        assert_eq!(parting(&digit, &theirs, FIRST_ROW).map(|p| p.place), Some((0, 2)));
        let digit = [rows("Step Temp CPU", &["0 1.5000001 0", "10 1.25 1", "20 1.0 9"])];
        assert_eq!(parting(&digit, &theirs, FIRST_ROW), None);
        // What is left where numbers of a row's size cancel.
        let [left, rounded] =
            ["-3.5e-15", "2.4868996e-14"].map(|x| [rows("Sum Err", &[&format!("27.7 {x}")])]);
        assert_eq!(parting(&rounded, &left, FIRST_ROW), None);
        let off = [rows("Sum Err", &["27.7 2.4868996e-12"])];
        assert_eq!(parting(&off, &left, FIRST_ROW).map(|p| p.what), Some("Err".into()));
    }

    #[test]
    fn averages_are_judged_by_their_noise() {
        // Noise of a linear congruential generator, uniform in (-0.5, 0.5).
        let mut session = 1u32;
        let mut noise = || {
            session = session.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(session) / f64::from(u32::MAX) - 0.5
        };
        let mut series = |shift: f64| {
            let lines: Vec<String> =
                (0..64).map(|k| format!("{k} {:.6}", 10.0 + shift + f64::from(k) + noise())).collect();
            [rows("Step Temp", &lines.iter().map(String::as_str).collect::<Vec<_>>())]
        };
        let theirs = series(0.0);
        // Of two uniform numbers the variance is 1/6, so the error of 64 differences is 0.051.
        let (same, other) = (series(0.0), series(0.6));
        let worst = |ours: &[Rows]| averages(ours, &theirs, &[], (0, 0)).pop().expect("columns");
        assert!(worst(&same).sigmas < 3.0, "{:?}", worst(&same));
        assert!(worst(&other).sigmas > SIGMAS && worst(&other).column == "Temp", "{:?}", worst(&other));
        // What LAMMPS does not agree upon with itself is no reproach.
        let other = Vec::from(other);
        let varied = std::slice::from_ref(&other);
        assert!(averages(&other, &theirs, varied, (0, 0)).pop().expect("columns").sigmas <= 1.0);
        assert!(averages(&other, &theirs, &[], (0, 60)).iter().all(|average| average.column != "Temp"));
    }

    #[test]
    fn no_numbers_are_no_average() {
        let series = |last: &str| {
            let lines: Vec<String> =
                (0..16).map(|k| format!("{k} {}", if k < 12 { "1.5" } else { last })).collect();
            [rows("Step Temp", &lines.iter().map(String::as_str).collect::<Vec<_>>())]
        };
        let (theirs, ours) = (series("1.6"), series("nan"));
        let infinite = series("inf");
        let varied = [Vec::from(series("1.2"))];
        let worst = |ours: &[Rows], theirs: &[Rows]| {
            averages(ours, theirs, &varied, (0, 4)).pop().expect("columns").sigmas
        };
        assert!(worst(&ours, &theirs) > SIGMAS && worst(&theirs, &ours) > SIGMAS);
        assert!(worst(&infinite, &theirs) > SIGMAS);
        assert!(worst(&ours, &ours) == 0.0);
    }

    #[test]
    fn scatter_among_runs_is_judged_by_students_test() {
        // The two-sided probability of 4 standard errors, 6.334e-5, is that of t = 7.595 at 8 degrees of freedom and of
        // t = 17.45 at 4 (by the closed forms of the distribution).
        assert!((normal(7.595 * 7.595, 8) - 4.0).abs() < 0.03, "{}", normal(7.595 * 7.595, 8));
        assert!((normal(17.45 * 17.45, 4) - 4.0).abs() < 0.1, "{}", normal(17.45 * 17.45, 4));
        // Nine runs of LAMMPS: standard deviation 1.06 about -0.19.
        let own = [1.0, -1.0, 0.5, -1.5, 0.8, -0.7, 0.9, -1.7];
        assert!(among(0.3, &own) < 1.0 && among(4.0, &own) < SIGMAS);
        assert!(among(9.0, &own) > SIGMAS && among(-9.0, &own) > SIGMAS);
        // Runs that agree to the last bit leave no room.
        assert!(among(1e-3, &[0.0; 8]) > SIGMAS && among(0.0, &[0.0; 8]) == 0.0);
        // Of two runs there is only their difference.
        assert!(among(3.0, &[1.0]) == 3.0 && among(3.0, &[]) > SIGMAS);
    }
}
