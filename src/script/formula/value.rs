//! Values of formulas: one number, a vector, or one number per atom.

use crate::base::parallel;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One number.
    Number(f64),
    /// A list of numbers.
    Vector(Vec<f64>),
    /// One per atom, in the order of the atoms in memory.
    Atoms(Vec<f64>),
}

impl Value {
    /// The value of an atom or element by its place: a number is that of all.
    pub fn at(&self, place: usize) -> f64 {
        match self {
            Value::Number(x) => *x,
            Value::Vector(values) | Value::Atoms(values) => values[place],
        }
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        match self {
            Value::Number(x) => x.is_finite(),
            Value::Vector(values) | Value::Atoms(values) => values.iter().all(|x| x.is_finite()),
        }
    }
}

/// Functions take no more arguments.
const MOST_ARGUMENTS: usize = 8;

/// Applies a function of numbers to values, element by element where one of them has several.
pub(super) fn apply<E: From<&'static str> + Send>(
    arguments: &[Value],
    function: impl Fn(&[f64]) -> Result<f64, E> + Sync + Send,
) -> Result<Value, E> {
    match elements(arguments)? {
        None => row(arguments, 0, function).map(Value::Number),
        Some((count, make)) => parallel::try_map(count, |k| row(arguments, k, &function)).map(make),
    }
}

/// The same of a function that has to be called for one element after another.
pub(super) fn apply_in_order<E: From<&'static str>>(
    arguments: &[Value],
    mut function: impl FnMut(&[f64]) -> Result<f64, E>,
) -> Result<Value, E> {
    match elements(arguments)? {
        None => row(arguments, 0, function).map(Value::Number),
        Some((count, make)) => {
            (0..count).map(|k| row(arguments, k, &mut function)).collect::<Result<_, E>>().map(make)
        }
    }
}

/// Calls a function with the arguments at a place.
fn row<R>(arguments: &[Value], place: usize, mut function: impl FnMut(&[f64]) -> R) -> R {
    let mut row = [0.0; MOST_ARGUMENTS];
    row.iter_mut().zip(arguments).for_each(|(x, value)| *x = value.at(place));
    function(&row[..arguments.len()])
}

/// How many elements there are, and what they make.
type Elements = (usize, fn(Vec<f64>) -> Value);

/// Those of a function of these; `None` for a number.
fn elements<E: From<&'static str>>(arguments: &[Value]) -> Result<Option<Elements>, E> {
    let mut several = arguments.iter().filter_map(|value| match value {
        Value::Vector(values) => Some((values.len(), Value::Vector as fn(Vec<f64>) -> Value)),
        Value::Atoms(values) => Some((values.len(), Value::Atoms as fn(Vec<f64>) -> Value)),
        Value::Number(_) => None,
    });
    let first = several.next();
    match first.filter(|(count, _)| several.any(|(other, _)| other != *count)) {
        Some(_) => Err("these vectors have different lengths".into()),
        None => Ok(first),
    }
}

/// The operators of two values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operator {
    Or,
    Xor,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
}

/// Tokens first found first, so the longer of two that begin alike stands first; the number is the
/// precedence.
pub(super) const OPERATORS: &[(&str, Operator, u32)] = &[
    ("||", Operator::Or, 1),
    ("|^", Operator::Xor, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 3),
    ("!=", Operator::Unequal, 3),
    ("<=", Operator::LessEqual, 4),
    ("<", Operator::Less, 4),
    (">=", Operator::GreaterEqual, 4),
    (">", Operator::Greater, 4),
    ("+", Operator::Plus, 5),
    ("-", Operator::Minus, 5),
    ("*", Operator::Times, 6),
    ("/", Operator::Divide, 6),
    ("%", Operator::Modulo, 6),
    ("^", Operator::Power, 7),
];

/// How formulas write an operator.
pub(super) fn token(operator: Operator) -> Option<&'static str> {
    OPERATORS.iter().find(|(_, known, _)| *known == operator).map(|(token, ..)| *token)
}

impl Operator {
    pub(super) fn apply(self, a: f64, b: f64) -> Result<f64, &'static str> {
        let truth = |test: bool| Ok(f64::from(test));
        match self {
            Operator::Or => truth(a != 0.0 || b != 0.0),
            Operator::Xor => truth((a != 0.0) != (b != 0.0)),
            Operator::And => truth(a != 0.0 && b != 0.0),
            Operator::Equal => truth(a == b),
            Operator::Unequal => truth(a != b),
            Operator::Less => truth(a < b),
            Operator::LessEqual => truth(a <= b),
            Operator::Greater => truth(a > b),
            Operator::GreaterEqual => truth(a >= b),
            Operator::Plus => Ok(a + b),
            Operator::Minus => Ok(a - b),
            Operator::Times => Ok(a * b),
            Operator::Divide if b == 0.0 => Err("division by zero"),
            Operator::Divide => Ok(a / b),
            Operator::Modulo if b == 0.0 => Err("remainder of a division by zero"),
            Operator::Modulo => Ok(a % b),
            Operator::Power => Ok(a.powf(b)),
        }
    }
}
