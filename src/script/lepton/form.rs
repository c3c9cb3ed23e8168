//! Expressions as text of kernels: energy and force of a distance as straight-line OpenCL, which compilers optimize as they do the
//! functions of other styles.
//!
//! The steps of a program become a graph without cycles in which equal parts stand once. Its slope is made by the rules of
//! differentiation. Numbers times powers of r are nodes of one kind, so that even powers need no square root, and all negative ones share
//! one division. Powers with whole exponents are products.

mod graph;

use super::{Code, of_one};
use graph::Graph;
use std::collections::HashMap;

/// Exponents beyond this are left to `pow`.
const MOST_FACTORS: f64 = 64.0;

/// A part of a formula; others are meant by their places, which are lower.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Node {
    /// A number times a power of r.
    Term(f64, i32),
    One(Function, usize),
    Sum(usize, usize),
    Difference(usize, usize),
    Product(usize, usize),
    Power(usize, usize),
    /// The third where the first is at most the second, else the fourth.
    Choice([usize; 4]),
}

/// Functions of one number.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    /// One that expressions have.
    Named(Code),
    Inverse,
    /// -1 of negative numbers, else 1.
    Sign,
}

/// A formula and its force, ready to be written.
#[derive(Clone, Debug)]
pub struct Form {
    nodes: Vec<Node>,
    energy: usize,
    /// F / r.
    force: usize,
}

impl Form {
    /// The formula of a program, of the distance less `origin`.
    pub fn of(program: &[[f64; 2]], origin: f64) -> Form {
        let mut graph = Graph::default();
        let variable = graph.term(1.0, 1);
        let origin = graph.term(origin, 0);
        let variable = graph.difference(variable, origin);
        let energy = graph.read(program, variable);
        let slope = graph.slope(energy);
        let force = graph.over_r(slope);
        graph.needed(energy, force)
    }

    /// Its numbers, of which another form may have others ([`Form::is_like`]).
    pub fn numbers(&self) -> Vec<f64> {
        let number = |node: &Node| match node {
            Node::Term(number, _) if *number != 1.0 => Some(*number),
            _ => None,
        };
        self.nodes.iter().filter_map(number).collect()
    }

    /// Whether the other differs at most by the numbers.
    pub fn is_like(&self, other: &Form) -> bool {
        let like = |(a, b): (&Node, &Node)| match (a, b) {
            (Node::Term(a, power), Node::Term(b, other)) => power == other && (*a == 1.0) == (*b == 1.0),
            _ => a == b,
        };
        let ends = |form: &Form| (form.nodes.len(), form.energy, form.force);
        ends(self) == ends(other) && self.nodes.iter().zip(&other.nodes).all(like)
    }

    /// A function `name(rsq, c, energy)` that returns F / r, of numbers of the type `real`. Its coefficients are `coefficients`. Of its
    /// numbers those that have no value here are read from `c`, one after another from the place `first` on.
    pub fn text(
        &self,
        name: &str,
        real: &str,
        coefficients: &str,
        values: &[Option<f64>],
        first: usize,
    ) -> String {
        let mut writer = Writer { real, powers: Vec::new(), lines: String::new() };
        let (mut values, mut read) = (values.iter(), first..);
        let mut numbers = HashMap::new();
        for (k, node) in self.nodes.iter().enumerate() {
            if let Node::Term(number, _) = node
                && *number != 1.0
            {
                let text = match values.next().copied().flatten() {
                    Some(value) => literal(real, value),
                    None => format!("c[{}]", read.next().unwrap_or(first)),
                };
                numbers.insert(k, text);
            }
        }
        // A product that is added once is multiplied and added at once.
        let mut uses = vec![0; self.nodes.len()];
        for place in self.nodes.iter().flat_map(Node::parts).chain([self.energy, self.force]) {
            uses[place] += 1;
        }
        let factors = |place: usize| match self.nodes[place] {
            Node::Product(a, b) if uses[place] == 1 => Some((a, b)),
            _ => None,
        };
        let mut fused = vec![false; self.nodes.len()];
        // Two terms that are added once are so as a power of r times a shorter sum.
        let mut terms: HashMap<usize, [usize; 2]> = HashMap::new();
        for (k, node) in self.nodes.iter().enumerate() {
            let (Node::Sum(a, b) | Node::Difference(a, b)) = *node else { continue };
            if [a, b].iter().all(|&place| uses[place] == 1 && matches!(self.nodes[place], Node::Term(..))) {
                terms.insert(k, [a, b]);
                (fused[a], fused[b]) = (true, true);
            }
        }
        for node in &self.nodes {
            if let Node::Sum(a, b) | Node::Difference(a, b) = *node
                && let Some(place) = [a, b].into_iter().find(|&place| factors(place).is_some())
            {
                fused[place] = true;
            }
        }
        for (k, node) in self.nodes.iter().enumerate().filter(|(k, _)| !fused[*k]) {
            let value = match *node {
                Node::Sum(..) | Node::Difference(..) if terms.contains_key(&k) => {
                    let minus = matches!(node, Node::Difference(..));
                    let of = |place: usize| {
                        let Node::Term(_, power) = self.nodes[place] else { unreachable!("terms are these") };
                        (numbers.get(&place).cloned().unwrap_or_else(|| literal(real, 1.0)), power)
                    };
                    writer.two_terms(terms[&k].map(of), minus)
                }
                Node::Term(_, power) => match (numbers.get(&k), power) {
                    (None, 0) => literal(real, 1.0),
                    (None, _) => writer.power(power),
                    (Some(number), 0) => number.clone(),
                    (Some(number), _) => format!("{number} * {}", writer.power(power)),
                },
                Node::One(function, a) => function.text(real, &format!("t{a}")),
                Node::Sum(a, b) if fused[a] => product_and(factors(a), "", &format!("t{b}")),
                Node::Sum(a, b) if fused[b] => product_and(factors(b), "", &format!("t{a}")),
                Node::Difference(a, b) if fused[a] => product_and(factors(a), "", &format!("-t{b}")),
                Node::Difference(a, b) if fused[b] => product_and(factors(b), "-", &format!("t{a}")),
                Node::Sum(a, b) => format!("t{a} + t{b}"),
                Node::Difference(a, b) => format!("t{a} - t{b}"),
                Node::Product(a, b) => format!("t{a} * t{b}"),
                Node::Power(a, b) => format!("pow(t{a}, t{b})"),
                Node::Choice([a, b, x, y]) => format!("t{a} <= t{b} ? t{x} : t{y}"),
            };
            writer.line(&format!("t{k}"), &value);
        }
        let Writer { lines, .. } = writer;
        let (energy, force) = (self.energy, self.force);
        format!(
            "static inline {real} {name}(const {real} rsq, {coefficients} *c, {real} *energy) {{\n{lines}    \
             *energy = t{energy};\n    return t{force};\n}}\n"
        )
    }
}

impl Node {
    /// The parts that it is made of.
    fn parts(&self) -> Vec<usize> {
        match *self {
            Node::Term(..) => Vec::new(),
            Node::One(_, a) => vec![a],
            Node::Sum(a, b) | Node::Difference(a, b) | Node::Product(a, b) | Node::Power(a, b) => vec![a, b],
            Node::Choice(parts) => parts.to_vec(),
        }
    }

    /// With the parts at other places.
    fn moved(self, to: &HashMap<usize, usize>) -> Node {
        let at = |place: usize| to[&place];
        match self {
            Node::Term(..) => self,
            Node::One(function, a) => Node::One(function, at(a)),
            Node::Sum(a, b) => Node::Sum(at(a), at(b)),
            Node::Difference(a, b) => Node::Difference(at(a), at(b)),
            Node::Product(a, b) => Node::Product(at(a), at(b)),
            Node::Power(a, b) => Node::Power(at(a), at(b)),
            Node::Choice(parts) => Node::Choice(parts.map(at)),
        }
    }
}

impl Function {
    fn of(self, x: f64) -> f64 {
        match self {
            Function::Named(code) => of_one(code, [x, 0.0])[0],
            Function::Inverse => 1.0 / x,
            Function::Sign => of_one(Code::Abs, [x, 1.0])[1],
        }
    }

    fn text(self, real: &str, x: &str) -> String {
        let one_or =
            |condition: &str, other: &str| format!("{x} {condition} 0 ? ({real})(1) : ({real})({other})");
        let call = |name: &str| format!("{name}({x})");
        match self {
            Function::Inverse => format!("1 / {x}"),
            Function::Sign => format!("{x} < 0 ? ({real})(-1) : ({real})(1)"),
            Function::Named(Code::Delta) => one_or("==", "0"),
            Function::Named(Code::Step) => one_or(">=", "0"),
            Function::Named(Code::Abs) => call("fabs"),
            Function::Named(code) => call(&format!("{code:?}").to_lowercase()),
        }
    }
}

/// A number of a formula as kernels have it.
fn literal(real: &str, x: f64) -> String {
    match x {
        _ if x.is_nan() => format!("({real})(NAN)"),
        _ if x.is_infinite() => format!("({real})({}INFINITY)", if x < 0.0 { "-" } else { "" }),
        _ => format!("({real})(NUMBER({x:?}))"),
    }
}

fn product_and(factors: Option<(usize, usize)>, sign: &str, rest: &str) -> String {
    let (a, b) = factors.unwrap_or_default();
    format!("FMA({sign}t{a}, t{b}, {rest})")
}

/// The lines of a function as they come.
struct Writer<'a> {
    real: &'a str,
    /// Which powers of r have a name already.
    powers: Vec<i32>,
    lines: String,
}

impl Writer<'_> {
    fn line(&mut self, name: &str, value: &str) {
        self.lines.push_str(&format!("    const {} {name} = {value};\n", self.real));
    }

    /// The sum of two terms, numbers with powers of r, or their difference: of both the lower power is taken out where the two have the
    /// same sign.
    fn two_terms(&mut self, [(a, p), (b, q)]: [(String, i32); 2], minus: bool) -> String {
        let sign = if minus { "-" } else { "" };
        let common = if p.signum() != q.signum() {
            0
        } else if p > 0 {
            p.min(q)
        } else {
            p.max(q)
        };
        let sum = match (p - common, q - common) {
            (0, 0) => format!("({a} + {sign}{b})"),
            (0, power) => format!("FMA({sign}{b}, {}, {a})", self.power(power)),
            (power, 0) => format!("FMA({a}, {}, {sign}{b})", self.power(power)),
            (first, second) => {
                let [first, second] = [first, second].map(|power| self.power(power));
                format!("FMA({a}, {first}, {sign}{b} * {second})")
            }
        };
        if common == 0 { sum } else { format!("{} * {sum}", self.power(common)) }
    }

    /// The name of a power of r, which is not the 0th, after the lines that it takes.
    fn power(&mut self, power: i32) -> String {
        let name = match power {
            2 => return "rsq".to_owned(),
            _ if power > 0 => format!("r{power}"),
            _ => format!("inverse_r{}", -power),
        };
        if self.powers.contains(&power) {
            return name;
        }
        let value = match power {
            1 => "sqrt(rsq)".to_owned(),
            -2 => "1 / rsq".to_owned(),
            _ if power % 2 != 0 => format!("{} * {}", self.power(power - 1), self.power(1)),
            _ => {
                // The power of r^2 or 1 / r^2 by its square root, or by the one before.
                let unit = 2 * power.signum();
                let [a, b] = if power % 4 == 0 { [power / 2; 2] } else { [power - unit, unit] };
                format!("{} * {}", self.power(a), self.power(b))
            }
        };
        self.line(&name, &value);
        self.powers.push(power);
        name
    }
}
