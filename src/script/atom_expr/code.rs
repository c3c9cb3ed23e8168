//! Values per atom as text of kernels, for functions of fixes that go by them (`CALL_STAGE` of cl/step/integrate.cl).

use super::{ASIDE, AtomExpr, AtomProperty, Op, Operation};

impl AtomExpr {
    /// Three recipes as statements that make `own.given` of an atom where they `count`, with the masses of all types; their numbers are put
    /// behind those in `numbers`. Where LAMMPS would stop, at a division by 0 and the like, it is no number, and the fix counts that. `None`
    /// where a recipe asks for what functions of atoms do not have there, or is long.
    pub fn code(
        recipes: &[AtomExpr; 3],
        count: bool,
        masses: &[f64],
        numbers: &mut Vec<f64>,
    ) -> Option<String> {
        let mut text = format!("if (own.p[{}] != 0) {{ ", numbers.len());
        numbers.push(f64::from(u8::from(count)));
        let (mut made, mut faults) = (0, Vec::new());
        let mut number = |x: &[f64]| {
            numbers.extend(x);
            numbers.len() - x.len()
        };
        let mut results = Vec::new();
        for recipe in recipes {
            let (mut stack, mut aside) = (Vec::<String>::new(), [const { String::new() }; ASIDE]);
            for op in &recipe.0 {
                let value = match op {
                    Op::Set(place) => {
                        aside[*place] = stack.pop()?;
                        continue;
                    }
                    Op::Get(place) => aside[*place].clone(),
                    Op::Number(x) => format!("own.p[{}]", number(&[*x])),
                    Op::AtomProperty(AtomProperty::Mass) if masses.len() <= MOST_MASSES => {
                        format!("own.p[{} + (a)->type]", number(masses) as i64 - 1)
                    }
                    Op::AtomProperty(own) => own.code_text()?,
                    Op::Member(group) => format!("(((a)->mask & {group}u) != 0)"),
                    Op::Table(_) => return None,
                    Op::Apply(operation) => {
                        let arguments = stack.split_off(stack.len().checked_sub(operation.arguments)?);
                        faults.extend(operation.fault(&arguments));
                        operation.code_text(&arguments)
                    }
                };
                if made == MOST_OPERATIONS {
                    return None;
                }
                let name = format!("t{made}");
                made += 1;
                text += &format!("const accum {name} = {value}; ");
                stack.push(name);
            }
            results.push(stack.pop()?);
        }
        let values = format!("(accum3)({})", results.join(", "));
        if faults.is_empty() {
            return Some(format!("{text}own.given = {values}; }} "));
        }
        let fault = faults.join(" || ");
        let no_value = "{ own.given = (accum3)((accum)NAN); COUNT_ONE(&own) }";
        Some(format!("{text}if ({fault}) {no_value} else own.given = {values}; }} "))
    }

    /// Whether LAMMPS would stop for some numbers.
    pub fn may_fail(&self) -> bool {
        let any: [String; 3] = Default::default();
        let fails = |operation: &Operation| operation.fault(&any[..operation.arguments]).is_some();
        self.0.iter().any(|op| matches!(op, Op::Apply(operation) if fails(operation)))
    }

    /// Whether another recipe has the same operations, whatever its numbers.
    pub fn has_operations_of(&self, other: &AtomExpr) -> bool {
        self.0.len() == other.0.len()
            && self.0.iter().zip(&other.0).all(|pair| match pair {
                (Op::Number(_), Op::Number(_)) => true,
                (Op::AtomProperty(one), Op::AtomProperty(other)) => one == other,
                (Op::Member(one), Op::Member(other)) => one == other,
                (Op::Set(one), Op::Set(other)) | (Op::Get(one), Op::Get(other)) => one == other,
                (Op::Apply(one), Op::Apply(other)) => one.code == other.code,
                _ => false,
            })
    }
}

/// So many operations, and masses of types, functions of atoms have at most.
const MOST_OPERATIONS: usize = 200;
const MOST_MASSES: usize = 32;

impl AtomProperty {
    /// By its name in formulas, for what functions of atoms know by themselves.
    pub fn named(name: &str) -> Option<Self> {
        let axis = || ["x", "y", "z"].iter().position(|&axis| name.ends_with(axis));
        Some(match name {
            "id" => AtomProperty::Id,
            "type" => AtomProperty::Type,
            "mass" => AtomProperty::Mass,
            "x" | "y" | "z" => AtomProperty::X(axis()?),
            "vx" | "vy" | "vz" => AtomProperty::V(axis()?),
            "fx" | "fy" | "fz" => AtomProperty::F(axis()?),
            _ => return None,
        })
    }

    /// What it is of the atom `a` at the coordinates `at`.
    fn code_text(self) -> Option<String> {
        let axis = |d: usize| ["x", "y", "z"][d];
        Some(match self {
            AtomProperty::X(d) => format!("at.{}", axis(d)),
            AtomProperty::V(d) => format!("(a)->v.{}", axis(d)),
            AtomProperty::F(d) => format!("(a)->f.{}", axis(d)),
            AtomProperty::Image(d) => format!("image_of((a)->image, {d})"),
            AtomProperty::Id => "(a)->tag".to_owned(),
            AtomProperty::Type => "(a)->type".to_owned(),
            AtomProperty::Mass | AtomProperty::Tally(_) => return None,
        })
    }
}

impl Operation {
    /// When LAMMPS does not have it of such numbers.
    fn fault(&self, of: &[String]) -> Option<String> {
        Some(match (self.token, of) {
            ("/" | "%", [_, b]) => format!("{b} == 0"),
            ("^", [a, b]) => format!("({a} == 0 && {b} < 0)"),
            ("sqrt", [a]) => format!("{a} < 0"),
            ("ln" | "log", [a]) => format!("{a} <= 0"),
            ("asin" | "acos", [a]) => format!("fabs({a}) > 1"),
            _ => return None,
        })
    }

    /// What it makes of so many numbers, which have names.
    fn code_text(&self, of: &[String]) -> String {
        let [a, b, c] = std::array::from_fn(|k| of.get(k).map_or("", String::as_str));
        match self.token {
            "|^" => format!("({a} != 0) != ({b} != 0)"),
            "||" | "&&" => format!("{a} != 0 {} {b} != 0", self.token),
            "%" => format!("fmod({a}, {b})"),
            "^" => format!("pow({a}, {b})"),
            "NEGATE" => format!("-{a}"),
            "!" => format!("{a} == 0"),
            "ln" => format!("log({a})"),
            "log" => format!("log10({a})"),
            "abs" => format!("fabs({a})"),
            "sign" => format!("{a} >= 0 ? 1 : -1"),
            "round" => format!("{a} - floor({a}) >= (accum)0.5 ? ceil({a}) : floor({a})"),
            "ternary" => format!("{a} != 0 ? {b} : {c}"),
            "TRUNCATE" => format!("trunc({a})"),
            "SQUARE" => format!("{a} * {a}"),
            "LEAST" => format!("fmin({a}, {b})"),
            "GREATEST" => format!("fmax({a}, {b})"),
            name if name.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                format!("{name}({})", of.join(", "))
            }
            sign => format!("{a} {sign} {b}"),
        }
    }
}
