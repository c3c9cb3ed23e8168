//! What pair and bond styles have in common whose formulas are the script's ([`crate::script::lepton`]).

use crate::base::error::Result;
use crate::script::lepton::form::Form;
use crate::script::lepton::{Expression, evaluate};
use crate::script::{Args, Word};

/// The value of a variable of the script.
pub type Variable<'a> = &'a dyn Fn(&str) -> Result<f64>;

/// The functions of some formulas as text of a kernel, and what they read.
pub struct Written {
    /// The functions, and macros for them: `LEPTON_FIRST` is the first one, `LEPTON_OTHERS` has
    /// `LEPTON_OTHER(k, name)` for each of the others.
    pub text: String,
    /// For each formula: which function it has, and the numbers that this reads.
    pub rows: Vec<Vec<f64>>,
}

/// The steps of a program of the distance less an origin, and this.
pub(super) type Shifted<'a> = (&'a [f64], f64);

/// Takes an expression of r as the steps of a program.
///
/// # Errors
/// Where it is none, or names what is not defined.
pub(super) fn read(args: &mut Args<'_>, variable: Variable<'_>) -> Result<Vec<f64>> {
    let word: &Word = args.word("an expression of the distance r, in quotes where it has blanks")?;
    let expression = Expression::parse(&word.text).map_err(|fault| args.fault(word, fault))?;
    without_cutoff(&expression, args, word)?;
    let program = expression.program(f64::NAN, variable).map_err(|error| args.place(word, error))?;
    Ok(program.into_flattened())
}

fn without_cutoff(expression: &Expression, args: &Args<'_>, word: &Word) -> Result<()> {
    if expression.has_cutoff() {
        let error = args.error(word, "'rc' is not defined");
        return Err(error.help("define it behind a semicolon, as in `...; rc = 1.0`"));
    }
    Ok(())
}

/// Takes an expression of r and the charges qi and qj, which is their product times a function of r, as the steps of this function.
///
/// # Errors
/// Where it is none, or names what is not defined.
pub(super) fn read_per_charges(args: &mut Args<'_>, variable: Variable<'_>) -> Result<Vec<f64>> {
    let word: &Word = args.word("an expression of r, qi and qj, in quotes where it has blanks")?;
    let expression = Expression::parse_of_charges(&word.text).map_err(|fault| args.fault(word, fault))?;
    without_cutoff(&expression, args, word)?;
    let of =
        |charges| expression.program_of(f64::NAN, charges, variable).map_err(|error| args.place(word, error));
    let unit = of([1.0; 2])?;
    for charges in [[2.0, 3.0], [-1.5, 0.5], [0.0, 1.0], [1.0, 0.0], [0.0, 0.0]] {
        let program = of(charges)?;
        for r in [0.61, 1.07, 1.93, 3.3, 7.1] {
            let ([one, _], [found, _]) = (evaluate(&unit, r), evaluate(&program, r));
            let expected = charges[0] * charges[1] * one;
            // Where the formula has no value, nothing can be said; and variables may have none yet.
            let known = one.is_finite() && found.is_finite();
            if known && (found - expected).abs() > 1e-9 * (found.abs() + expected.abs() + one.abs()) {
                let error = args.error(word, "the energy must be qi*qj times a function of r");
                return Err(
                    error.help("put what has no charges into another style of pair_style hybrid/overlay")
                );
            }
        }
    }
    Ok(unit.into_flattened())
}

/// Value and slope at a distance.
pub(super) fn value_and_slope(program: &[f64], r: f64) -> [f64; 2] {
    evaluate(program.as_chunks().0, r)
}

/// Writes the functions of programs, with names that begin with `prefix`, for a kernel with numbers of the
/// type `real`, in which `coefficients` are what the functions read from the place `first` on. A program that is none has no row.
pub(super) fn write(
    programs: &[Option<Shifted<'_>>],
    prefix: &str,
    [real, coefficients]: [&str; 2],
    first: usize,
) -> Written {
    let mut forms: Vec<(Form, Vec<Vec<f64>>)> = Vec::new();
    let mut done: Vec<(Shifted<'_>, [usize; 2])> = Vec::new();
    let mut places = Vec::new();
    for program in programs {
        let Some((steps, origin)) = *program else {
            places.push(None);
            continue;
        };
        let equal = done.iter().find(|(known, _)| *known == (steps, origin));
        let found = equal.map_or_else(
            || {
                let form = Form::of(steps.as_chunks().0, origin);
                let numbers = form.numbers();
                let kind = forms.iter().position(|(known, _)| known.is_like(&form)).unwrap_or(forms.len());
                if kind == forms.len() {
                    forms.push((form, Vec::new()));
                }
                forms[kind].1.push(numbers);
                [kind, forms[kind].1.len() - 1]
            },
            |(_, found)| *found,
        );
        if equal.is_none() {
            done.push(((steps, origin), found));
        }
        places.push(Some(found));
    }
    if forms.is_empty() {
        let form = Form::of(&[[0.0; 2]], 0.0);
        let numbers = form.numbers();
        forms.push((form, vec![numbers]));
    }
    // A number that all formulas of a form share stands in its function.
    let shared = |numbers: &[Vec<f64>]| -> Vec<Option<f64>> {
        let same = |k: usize| numbers.iter().all(|row| row[k].to_bits() == numbers[0][k].to_bits());
        (0..numbers[0].len()).map(|k| same(k).then_some(numbers[0][k])).collect()
    };
    let shared: Vec<_> = forms.iter().map(|(_, numbers)| shared(numbers)).collect();
    let row = |[kind, of]: [usize; 2]| {
        let numbers = forms[kind].1[of].iter().zip(&shared[kind]);
        let read = numbers.filter(|(_, shared)| shared.is_none()).map(|(number, _)| *number);
        std::iter::once(kind as f64).chain(read).collect()
    };
    let rows = places.into_iter().map(|found| found.map_or_else(Vec::new, row)).collect();
    let name = |k: usize| format!("{prefix}_{k}");
    let functions = forms.iter().zip(&shared).enumerate();
    let functions: String = functions
        .map(|(k, ((form, _), shared))| form.text(&name(k), real, coefficients, shared, first))
        .collect();
    let others: String = (1..forms.len()).map(|k| format!(" LEPTON_OTHER({k}, {})", name(k))).collect();
    let text = format!(
        "{functions}#undef LEPTON_FIRST\n#undef LEPTON_OTHERS\n#define LEPTON_FIRST {}\n#define LEPTON_OTHERS{others}\n",
        name(0)
    );
    Written { text, rows }
}
