//! Expressions as the Lepton library reads them, which some styles of LAMMPS take: a formula of the distance r and the cutoff
//! rc, and behind semicolons what other names in it stand for. Source: LAMMPS manual, "Lepton expression syntax and features".
//!
//! Operators from loose to tight: `+` `-`; `*` `/`; unary `-`; `^`, which groups from the right: `-2^2` is -4. A name is
//! defined behind its uses: `k*(r-rc)^2; k=2*c; c=50`. `v_NAME` is the value of a variable.
//!
//! An expression becomes the steps of a stack machine (cl/fix/wall_lepton.cl) whose numbers know their slope in r: forces are
//! slopes by the rules of differentiation, to the last digits. [`form::Form`] makes OpenCL text of the same steps.

pub mod form;
mod parse;

use crate::base::error::Result;
use std::f64::consts::PI;

/// Numbers that the stack of the device holds, and definitions that an expression may have.
pub const DEPTH: usize = 16;

/// What a step does; the device has the same names in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Code {
    Number,
    R,
    Load,
    Store,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Min,
    Max,
    Sqrt,
    Exp,
    Log,
    Sin,
    Cos,
    Sec,
    Csc,
    Tan,
    Cot,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Erfc,
    Abs,
    Delta,
    Step,
}

/// All of them, by their numbers.
const CODES: [Code; 32] = [
    Code::Number,
    Code::R,
    Code::Load,
    Code::Store,
    Code::Negate,
    Code::Add,
    Code::Subtract,
    Code::Multiply,
    Code::Divide,
    Code::Power,
    Code::Min,
    Code::Max,
    Code::Sqrt,
    Code::Exp,
    Code::Log,
    Code::Sin,
    Code::Cos,
    Code::Sec,
    Code::Csc,
    Code::Tan,
    Code::Cot,
    Code::Asin,
    Code::Acos,
    Code::Atan,
    Code::Sinh,
    Code::Cosh,
    Code::Tanh,
    Code::Erf,
    Code::Erfc,
    Code::Abs,
    Code::Delta,
    Code::Step,
];

/// What a step of a program does.
fn code(step: &[f64; 2]) -> Code {
    CODES[step[0] as usize]
}

/// Functions by name, with their arguments.
const FUNCTIONS: [(&str, Code, usize); 22] = [
    ("sqrt", Code::Sqrt, 1),
    ("exp", Code::Exp, 1),
    ("log", Code::Log, 1),
    ("sin", Code::Sin, 1),
    ("cos", Code::Cos, 1),
    ("sec", Code::Sec, 1),
    ("csc", Code::Csc, 1),
    ("tan", Code::Tan, 1),
    ("cot", Code::Cot, 1),
    ("asin", Code::Asin, 1),
    ("acos", Code::Acos, 1),
    ("atan", Code::Atan, 1),
    ("sinh", Code::Sinh, 1),
    ("cosh", Code::Cosh, 1),
    ("tanh", Code::Tanh, 1),
    ("erf", Code::Erf, 1),
    ("erfc", Code::Erfc, 1),
    ("abs", Code::Abs, 1),
    ("min", Code::Min, 2),
    ("max", Code::Max, 2),
    ("delta", Code::Delta, 1),
    ("step", Code::Step, 1),
];

/// What a step works with besides the stack.
#[derive(Clone, Debug, PartialEq)]
enum Operand {
    None,
    Number(f64),
    /// `rc`.
    Cutoff,
    /// `qi` or `qj`.
    Charge(usize),
    /// A definition.
    Slot(usize),
    /// `v_NAME`.
    Variable(String),
}

/// An expression, read once.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    steps: Vec<(Code, Operand)>,
}

/// The steps of an expression with all its numbers: what each does, and a number.
pub type Program = Vec<[f64; 2]>;

impl Expression {
    /// The names of its variables.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|(_, operand)| match operand {
            Operand::Variable(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it names the cutoff.
    pub fn has_cutoff(&self) -> bool {
        self.steps.iter().any(|(_, operand)| *operand == Operand::Cutoff)
    }

    /// Its steps with a cutoff and the values of variables.
    ///
    /// # Errors
    /// When a variable has no value.
    pub fn program(&self, cutoff: f64, variable: impl Fn(&str) -> Result<f64>) -> Result<Program> {
        self.program_of(cutoff, [f64::NAN; 2], variable)
    }

    /// The same for two charges.
    ///
    /// # Errors
    /// As there.
    pub fn program_of(
        &self,
        cutoff: f64,
        charges: [f64; 2],
        variable: impl Fn(&str) -> Result<f64>,
    ) -> Result<Program> {
        let step = |(code, operand): &(Code, Operand)| {
            let number = match operand {
                Operand::None => 0.0,
                Operand::Number(x) => *x,
                Operand::Cutoff => cutoff,
                Operand::Charge(atom) => charges[*atom],
                Operand::Slot(slot) => *slot as f64,
                Operand::Variable(name) => variable(name)?,
            };
            Ok([f64::from(*code as u8), number])
        };
        self.steps.iter().map(step).collect()
    }
}

/// Value and slope of a program at a distance, the host twin of `lepton_at`.
pub fn evaluate(program: &[[f64; 2]], r: f64) -> [f64; 2] {
    let (mut stack, mut slots) = (Vec::with_capacity(DEPTH), [[0.0; 2]; DEPTH]);
    for step in program {
        let (code, number) = (code(step), step[1]);
        let mut pop = || stack.pop().unwrap_or([f64::NAN; 2]);
        let result = match code {
            Code::Number => [number, 0.0],
            Code::R => [r, 1.0],
            Code::Load => slots[number as usize],
            Code::Store => {
                slots[number as usize] = pop();
                continue;
            }
            Code::Add
            | Code::Subtract
            | Code::Multiply
            | Code::Divide
            | Code::Power
            | Code::Min
            | Code::Max => {
                let b = pop();
                of_two(code, pop(), b)
            }
            _ => of_one(code, pop()),
        };
        stack.push(result);
    }
    stack.pop().unwrap_or([f64::NAN; 2])
}

/// Value and slope of an operation of two numbers with theirs.
fn of_two(code: Code, [a, da]: [f64; 2], [b, db]: [f64; 2]) -> [f64; 2] {
    match code {
        Code::Add => [a + b, da + db],
        Code::Subtract => [a - b, da - db],
        Code::Multiply => [a * b, da * b + a * db],
        Code::Divide => [a / b, (da - a / b * db) / b],
        // Where both are equal, the slope is that of the second, as Lepton has it.
        Code::Min => {
            if a < b {
                [a, da]
            } else {
                [b, db]
            }
        }
        Code::Max => {
            if a >= b {
                [a, da]
            } else {
                [b, db]
            }
        }
        // The logarithm of a negative number only where the exponent changes.
        _ if db == 0.0 => [a.powf(b), if b == 0.0 { 0.0 } else { b * a.powf(b - 1.0) * da }],
        _ => [a.powf(b), a.powf(b) * (db * a.ln() + b * da / a)],
    }
}

/// The same of one number.
fn of_one(code: Code, [a, da]: [f64; 2]) -> [f64; 2] {
    let (value, slope) = match code {
        Code::Negate => (-a, -1.0),
        Code::Sqrt => (a.sqrt(), 0.5 / a.sqrt()),
        Code::Exp => (a.exp(), a.exp()),
        Code::Log => (a.ln(), 1.0 / a),
        Code::Sin => (a.sin(), a.cos()),
        Code::Cos => (a.cos(), -a.sin()),
        Code::Sec => (1.0 / a.cos(), a.tan() / a.cos()),
        Code::Csc => (1.0 / a.sin(), -1.0 / (a.tan() * a.sin())),
        Code::Tan => (a.tan(), 1.0 + a.tan() * a.tan()),
        Code::Cot => (1.0 / a.tan(), -1.0 - 1.0 / (a.tan() * a.tan())),
        Code::Asin => (a.asin(), 1.0 / (1.0 - a * a).sqrt()),
        Code::Acos => (a.acos(), -1.0 / (1.0 - a * a).sqrt()),
        Code::Atan => (a.atan(), 1.0 / (1.0 + a * a)),
        Code::Sinh => (a.sinh(), a.cosh()),
        Code::Cosh => (a.cosh(), a.sinh()),
        Code::Tanh => (a.tanh(), 1.0 - a.tanh() * a.tanh()),
        Code::Erf => (libm::erf(a), 2.0 / PI.sqrt() * (-a * a).exp()),
        Code::Erfc => (libm::erfc(a), -2.0 / PI.sqrt() * (-a * a).exp()),
        Code::Abs => (a.abs(), if a < 0.0 { -1.0 } else { 1.0 }),
        Code::Delta => (f64::from(a == 0.0), 0.0),
        _ => (f64::from(a >= 0.0), 0.0),
    };
    [value, slope * da]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, r: f64) -> [f64; 2] {
        let expression = Expression::parse(text).expect(text);
        let value = |name: &str| Ok(if name == "two" { 2.0 } else { 0.5 });
        let program = expression.program(4.0, value).expect(text);
        evaluate(&program, r)
    }

    #[test]
    fn values_are_those_of_the_formula() {
        for (text, value) in [
            ("1+2*3", 7.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("8/4/2", 1.0),
            ("1-2-3", -4.0),
            ("2*-3", -6.0),
            ("-r^2", -2.25),
            ("1e3+1.5e-1", 1000.15),
            ("k*(r-rc)^2;k=100.0", 625.0),
            ("a*b; a = b + 1; b = r*2", 12.0),
            ("v_two*r + v_half", 3.5),
            (" min( r , 1 ) + max(r,1) ", 2.5),
            ("step(r-2)+10*step(r-1)+100*delta(r-1.5)", 110.0),
            ("erf(0)+erfc(0)+tanh(0)", 1.0),
            ("3;", 3.0),
        ] {
            let [found, _] = at(text, 1.5);
            assert!((found - value).abs() < 1e-12, "{text}: {found}, not {value}");
        }
    }

    /// Slopes against differences of values.
    #[test]
    fn slopes_are_those_of_the_values() {
        let functions = FUNCTIONS.iter().map(|&(name, _, arguments)| match arguments {
            1 => format!("{name}(0.4*r)"),
            _ => format!("{name}(0.4*r, 0.5*r^2)"),
        });
        let formulas = [
            "4*e*((s/r)^12-(s/r)^6);e=0.3;s=0.9",
            "r^r",
            "2^(r/3)",
            "-1/r",
            "(r-3)^3",
            "a*(1-a)^2;a=exp(-2*(r-0.7))",
        ];
        for text in functions.chain(formulas.map(str::to_owned)) {
            for r in [0.61, 0.9, 1.37] {
                let h = 1e-4;
                let value = |r: f64| at(&text, r)[0];
                let slope = (8.0 * (value(r + h) - value(r - h)) - (value(r + 2.0 * h) - value(r - 2.0 * h)))
                    / (12.0 * h);
                let found = at(&text, r)[1];
                assert!(
                    (found - slope).abs() < 1e-8 * (1.0 + slope.abs()),
                    "{text} at {r}: {found}, not {slope}"
                );
            }
        }
    }

    #[test]
    fn codes_stand_at_their_numbers() {
        for (k, code) in CODES.into_iter().enumerate() {
            assert_eq!(code as usize, k);
        }
    }

    #[test]
    fn what_is_wrong_is_marked() {
        let deep = format!("{}1{}", "(1+".repeat(20), ")".repeat(20));
        for (text, marked) in [
            ("k*r", "k"),
            ("r+", ""),
            ("r+*2", "*"),
            ("(r+1", ""),
            ("r)", ")"),
            ("foo(r)", "foo"),
            ("min(r)", "min"),
            ("sqrt(r,1)", "sqrt"),
            ("k;k=r;k=2", "k"),
            ("k;2", "2"),
            ("1.2.3", "1.2.3"),
            ("r $ 2", "$"),
            ("", ""),
            (&deep, "1"),
        ] {
            let fault = Expression::parse(text).expect_err(text);
            assert_eq!(&text[fault.span.clone()], marked, "{text}: {}", fault.message);
        }
    }
}
