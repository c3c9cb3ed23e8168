//! Values per atom as programs in postfix, which the device carries out for all atoms at once (cl/analysis/per_atom.cl): what formulas,
//! bins and simple computes make of the properties of an atom. [`AtomExpr::value`] is the twin.

mod code;

use std::ops::{Add, Div, Mul, Neg, Not, Sub};
use std::sync::Arc;

/// What a recipe may ask of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomProperty {
    /// A coordinate, as it is between rebuilds.
    X(usize),
    /// A component of the velocity.
    V(usize),
    /// A component of the force.
    F(usize),
    /// How many boxes it has crossed along an axis.
    Image(usize),
    /// The ID.
    Id,
    /// The type, from 1.
    Type,
    /// The mass.
    Mass,
    /// An element of its [tally](crate::session::snapshot::Tally).
    Tally(usize),
}

impl AtomProperty {
    /// Its number in cl/analysis/per_atom.cl, and the component.
    fn code(self) -> (u32, usize) {
        match self {
            AtomProperty::X(d) => (5, d),
            AtomProperty::V(d) => (6, d),
            AtomProperty::F(d) => (7, d),
            AtomProperty::Image(d) => (8, d),
            AtomProperty::Id => (9, 0),
            AtomProperty::Type => (10, 0),
            AtomProperty::Mass => (11, 0),
            AtomProperty::Tally(slot) => (12, slot),
        }
    }
}

/// An operation on one to three numbers.
#[derive(Debug)]
pub struct Operation {
    /// As formulas have it; others are in capitals.
    pub token: &'static str,
    /// In cl/analysis/per_atom.cl.
    pub word: &'static str,
    /// The number there.
    pub code: u32,
    /// How many numbers it takes.
    pub arguments: usize,
    /// Of these; no finite number where it is not defined.
    pub of: fn([f64; 3]) -> f64,
}

/// The first number of an operation in cl/analysis/per_atom.cl.
const FIRST: u32 = 14;

fn truth(test: bool) -> f64 {
    f64::from(test)
}

macro_rules! operations {
    ($($name:ident = $token:literal, $word:literal, $arguments:literal, $of:expr;)*) => {
        #[derive(Clone, Copy)]
        enum Place { $($name),* }

        /// All of them.
        pub static OPERATIONS: &[Operation] = &[$(Operation {
            token: $token,
            word: $word,
            code: FIRST + Place::$name as u32,
            arguments: $arguments,
            of: $of,
        }),*];
    };
}

operations! {
    Or = "||", "OP_OR", 2, |[a, b, _]| truth(a != 0.0 || b != 0.0);
    Xor = "|^", "OP_XOR", 2, |[a, b, _]| truth((a != 0.0) != (b != 0.0));
    And = "&&", "OP_AND", 2, |[a, b, _]| truth(a != 0.0 && b != 0.0);
    Equal = "==", "OP_EQUAL", 2, |[a, b, _]| truth(a == b);
    Unequal = "!=", "OP_UNEQUAL", 2, |[a, b, _]| truth(a != b);
    Less = "<", "OP_LESS", 2, |[a, b, _]| truth(a < b);
    LessEqual = "<=", "OP_LESS_EQUAL", 2, |[a, b, _]| truth(a <= b);
    Greater = ">", "OP_GREATER", 2, |[a, b, _]| truth(a > b);
    GreaterEqual = ">=", "OP_GREATER_EQUAL", 2, |[a, b, _]| truth(a >= b);
    Plus = "+", "OP_PLUS", 2, |[a, b, _]| a + b;
    Minus = "-", "OP_MINUS", 2, |[a, b, _]| a - b;
    Times = "*", "OP_TIMES", 2, |[a, b, _]| a * b;
    Divide = "/", "OP_DIVIDE", 2, |[a, b, _]| a / b;
    Modulo = "%", "OP_MODULO", 2, |[a, b, _]| a % b;
    Power = "^", "OP_POWER", 2, |[a, b, _]| a.powf(b);
    Negate = "NEGATE", "OP_NEGATE", 1, |[a, ..]| -a;
    Not = "!", "OP_NOT", 1, |[a, ..]| truth(a == 0.0);
    Sqrt = "sqrt", "OP_SQRT", 1, |[a, ..]| a.sqrt();
    Exp = "exp", "OP_EXP", 1, |[a, ..]| a.exp();
    Ln = "ln", "OP_LN", 1, |[a, ..]| a.ln();
    Log = "log", "OP_LOG", 1, |[a, ..]| a.log10();
    Abs = "abs", "OP_ABS", 1, |[a, ..]| a.abs();
    Sign = "sign", "OP_SIGN", 1, |[a, ..]| if a >= 0.0 { 1.0 } else { -1.0 };
    Sin = "sin", "OP_SIN", 1, |[a, ..]| a.sin();
    Cos = "cos", "OP_COS", 1, |[a, ..]| a.cos();
    Tan = "tan", "OP_TAN", 1, |[a, ..]| a.tan();
    Asin = "asin", "OP_ASIN", 1, |[a, ..]| a.asin();
    Acos = "acos", "OP_ACOS", 1, |[a, ..]| a.acos();
    Atan = "atan", "OP_ATAN", 1, |[a, ..]| a.atan();
    Atan2 = "atan2", "OP_ATAN2", 2, |[a, b, _]| a.atan2(b);
    Ceil = "ceil", "OP_CEIL", 1, |[a, ..]| a.ceil();
    Floor = "floor", "OP_FLOOR", 1, |[a, ..]| a.floor();
    Round = "round", "OP_ROUND", 1, |[a, ..]| if a - a.floor() >= 0.5 { a.ceil() } else { a.floor() };
    Ternary = "ternary", "OP_TERNARY", 3, |[a, b, c]| if a != 0.0 { b } else { c };
    Truncate = "TRUNCATE", "OP_TRUNCATE", 1, |[a, ..]| a.trunc();
    Square = "SQUARE", "OP_SQUARE", 1, |[a, ..]| a * a;
    Least = "LEAST", "OP_LEAST", 2, |[a, b, _]| a.min(b);
    Greatest = "GREATEST", "OP_GREATEST", 2, |[a, b, _]| a.max(b);
}

impl Operation {
    /// The one that formulas write so.
    pub fn named(token: &str) -> Option<&'static Operation> {
        OPERATIONS.iter().find(|operation| operation.token == token)
    }
}

#[derive(Clone, Debug)]
enum Op {
    Number(f64),
    AtomProperty(AtomProperty),
    /// 1 for the atoms of a group, by the bit of its mask.
    Member(u32),
    /// Puts a number aside.
    Set(usize),
    /// Takes it from there.
    Get(usize),
    /// Takes the number of a table at the place that a number says.
    Table(Arc<[f64]>),
    Apply(&'static Operation),
}

/// How a value per atom is made.
#[derive(Clone, Debug)]
pub struct AtomExpr(Vec<Op>);

/// The numbers that may wait for an operation, and those that may be put aside (cl/analysis/per_atom.cl).
const DEPTH: usize = 16;
const ASIDE: usize = 8;
/// The first of those for [`AtomExpr::shared`]; the ones before it are for what is within a recipe.
const SHARED: usize = 4;

impl AtomExpr {
    /// The same number for all.
    pub fn number(x: f64) -> Self {
        AtomExpr(vec![Op::Number(x)])
    }

    /// A property.
    pub fn own(own: AtomProperty) -> Self {
        AtomExpr(vec![Op::AtomProperty(own)])
    }

    /// 1 for the atoms of a group (a mask with its bit), 0 for others.
    pub fn member(group: u32) -> Self {
        AtomExpr(vec![Op::Member(group)])
    }

    /// A vector.
    pub fn vector(own: fn(usize) -> AtomProperty) -> [AtomExpr; 3] {
        std::array::from_fn(|d| AtomExpr::own(own(d)))
    }

    /// The number that it is for all atoms, where it is one.
    pub fn same(&self) -> Option<f64> {
        match self.0[..] {
            [Op::Number(x)] => Some(x),
            _ => None,
        }
    }

    /// What an operation makes of others, which are as many as it takes.
    pub fn apply(operation: &'static Operation, arguments: impl IntoIterator<Item = AtomExpr>) -> Self {
        let mut ops: Vec<Op> = arguments.into_iter().flat_map(|recipe| recipe.0).collect();
        ops.push(Op::Apply(operation));
        AtomExpr(ops)
    }

    fn by(self, place: Place, others: impl IntoIterator<Item = AtomExpr>) -> Self {
        AtomExpr::apply(&OPERATIONS[place as usize], std::iter::once(self).chain(others))
    }

    /// 1 where it is less than another one, else 0.
    pub fn less(self, other: AtomExpr) -> Self {
        self.by(Place::Less, [other])
    }

    /// 1 where it is not above another one, else 0.
    pub fn at_most(self, other: AtomExpr) -> Self {
        self.by(Place::LessEqual, [other])
    }

    /// Whether one of both is not 0.
    pub fn or(self, other: AtomExpr) -> Self {
        self.by(Place::Or, [other])
    }

    /// Its root.
    pub fn sqrt(self) -> Self {
        self.by(Place::Sqrt, [])
    }

    /// The number of a table at a place from 0, of which there must be some.
    pub fn of_table(mut self, table: impl Into<Arc<[f64]>>) -> Self {
        self.0.push(Op::Table(table.into()));
        self
    }

    /// Whether both are not 0.
    pub fn and(self, other: AtomExpr) -> Self {
        self.by(Place::And, [other])
    }

    /// The lesser one.
    pub fn least(self, other: AtomExpr) -> Self {
        self.by(Place::Least, [other])
    }

    /// The greater one.
    pub fn greatest(self, other: AtomExpr) -> Self {
        self.by(Place::Greatest, [other])
    }

    /// Without what is behind the point.
    pub fn truncate(self) -> Self {
        self.by(Place::Truncate, [])
    }

    /// The next whole number below it.
    pub fn floor(self) -> Self {
        self.by(Place::Floor, [])
    }

    /// Its square.
    pub fn square(self) -> Self {
        self.by(Place::Square, [])
    }

    /// One of two by whether it is 0: the second.
    pub fn choose(self, yes: AtomExpr, no: AtomExpr) -> Self {
        self.by(Place::Ternary, [yes, no])
    }

    /// Itself in a group, 0 outside.
    pub fn within(self, group: u32) -> Self {
        match group {
            1 => self,
            _ => AtomExpr::member(group).choose(self, AtomExpr::number(0.0)),
        }
    }

    /// Columns made from three values that are worked out once, before the first of them: to be worked out together, in this
    /// order.
    pub fn shared(
        values: [AtomExpr; 3],
        columns: impl FnOnce([AtomExpr; 3]) -> Vec<AtomExpr>,
    ) -> Vec<AtomExpr> {
        let mut columns = columns([0, 1, 2].map(|k| AtomExpr::aside(SHARED + k)));
        if let Some(first) = columns.first_mut() {
            let with = |first: AtomExpr, (k, value)| first.after(SHARED + k, value);
            *first = values.into_iter().enumerate().fold(first.clone(), with);
        }
        columns
    }

    /// What was put aside at one of four places.
    pub fn aside(place: usize) -> Self {
        AtomExpr(vec![Op::Get(place)])
    }

    /// The same after another one's value was put aside at a place.
    pub fn after(self, place: usize, mut before: AtomExpr) -> Self {
        before.0.push(Op::Set(place));
        before.0.extend(self.0);
        before
    }

    /// What another recipe makes of its value, which is worked out once and put aside at a place meanwhile.
    pub fn then(self, place: usize, what: impl FnOnce(AtomExpr) -> AtomExpr) -> Self {
        what(AtomExpr::aside(place)).after(place, self)
    }

    /// Whether some recipe looks at such properties.
    pub fn any(recipes: &[AtomExpr], asks: impl Fn(AtomProperty) -> bool) -> bool {
        recipes
            .iter()
            .flat_map(|recipe| &recipe.0)
            .any(|op| matches!(op, Op::AtomProperty(own) if asks(*own)))
    }

    /// Whether the device has room for the numbers that wait.
    pub fn fits(&self) -> bool {
        let (mut depth, mut most) = (0, 0);
        for op in &self.0 {
            depth = match op {
                Op::Number(_) | Op::AtomProperty(_) | Op::Member(_) | Op::Get(_) => depth + 1,
                Op::Set(_) => depth - 1,
                Op::Table(_) => depth,
                Op::Apply(operation) => depth + 1 - operation.arguments,
            };
            most = most.max(depth);
        }
        most <= DEPTH
    }

    /// As cl/analysis/per_atom.cl reads several of them, whose values go to one column each: words, and the numbers in them.
    pub fn encode(recipes: &[AtomExpr]) -> (Vec<u32>, Vec<f64>) {
        let (mut words, mut numbers) = (Vec::new(), Vec::new());
        let mut put = |many: &[f64]| {
            numbers.extend(many);
            (numbers.len() - many.len()) as u32
        };
        let mut word = |code: u32, operand: u32| words.push(operand << 8 | code);
        for (column, recipe) in recipes.iter().enumerate() {
            for op in &recipe.0 {
                match op {
                    Op::Set(place) => word(1, *place as u32),
                    Op::Get(place) => word(2, *place as u32),
                    Op::Number(x) => word(3, put(&[*x])),
                    Op::Member(group) => word(4, put(&[f64::from(*group)])),
                    Op::Table(table) => word(13, put(&[&[table.len() as f64], &**table].concat())),
                    Op::AtomProperty(own) => word(own.code().0, own.code().1 as u32),
                    Op::Apply(operation) => word(operation.code, operation.arguments as u32),
                }
            }
            word(0, column as u32);
        }
        (words, numbers)
    }

    /// The value of an atom, given its properties and its groups; no finite number where something is not defined.
    pub fn value(&self, own: impl Fn(AtomProperty) -> f64, mask: u32) -> f64 {
        let (mut stack, mut aside) = (Vec::<f64>::with_capacity(DEPTH), [0.0; ASIDE]);
        for op in &self.0 {
            let x = match op {
                Op::Number(x) => *x,
                Op::AtomProperty(what) => own(*what),
                Op::Member(group) => truth(mask & group != 0),
                Op::Get(place) => aside[*place],
                Op::Table(table) => {
                    let place = stack.pop().map_or(0.0, |place: f64| place.max(0.0)) as usize;
                    table[place.min(table.len() - 1)]
                }
                Op::Set(place) => {
                    aside[*place] = stack.pop().unwrap_or(f64::NAN);
                    continue;
                }
                Op::Apply(operation) => {
                    let first = stack.len().saturating_sub(operation.arguments);
                    let mut arguments = [0.0; 3];
                    arguments.iter_mut().zip(stack.drain(first..)).for_each(|(to, x)| *to = x);
                    (operation.of)(arguments)
                }
            };
            if !x.is_finite() {
                return f64::NAN;
            }
            stack.push(x);
        }
        stack.pop().unwrap_or(f64::NAN)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $place:ident;)*) => {$(
        impl $trait for AtomExpr {
            type Output = AtomExpr;

            fn $method(self, other: AtomExpr) -> AtomExpr {
                self.by(Place::$place, [other])
            }
        }

        impl $trait<f64> for AtomExpr {
            type Output = AtomExpr;

            fn $method(self, other: f64) -> AtomExpr {
                self.by(Place::$place, [AtomExpr::number(other)])
            }
        }
    )*};
}

operators! {
    Add add Plus;
    Sub sub Minus;
    Mul mul Times;
    Div div Divide;
}

/// Whether it is 0.
impl Not for AtomExpr {
    type Output = AtomExpr;

    fn not(self) -> AtomExpr {
        self.by(Place::Not, [])
    }
}

impl Neg for AtomExpr {
    type Output = AtomExpr;

    fn neg(self) -> AtomExpr {
        self.by(Place::Negate, [])
    }
}
