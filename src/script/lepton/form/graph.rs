//! What forms are made from: the steps of a program as a graph in which equal parts stand once, simplified as it grows, and its slope.

use super::{Form, Function, MOST_FACTORS, Node};
use crate::script::lepton::{Code, code};
use std::collections::HashMap;

/// The parts of a formula and of its force.
#[derive(Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    slopes: HashMap<usize, usize>,
}

/// Whether single precision has no trouble with it.
fn moderate(x: f64) -> bool {
    x == 0.0 || (1e-30..1e30).contains(&x.abs())
}

impl Graph {
    fn add(&mut self, node: Node) -> usize {
        match self.nodes.iter().position(|known| *known == node) {
            Some(place) => place,
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        }
    }

    pub(super) fn term(&mut self, number: f64, power: i32) -> usize {
        // Of zero no power and no sign matters.
        if number == 0.0 { self.add(Node::Term(0.0, 0)) } else { self.add(Node::Term(number, power)) }
    }

    fn is_zero(&self, a: usize) -> bool {
        self.nodes[a] == Node::Term(0.0, 0)
    }

    fn is_one(&self, a: usize) -> bool {
        self.nodes[a] == Node::Term(1.0, 0)
    }

    fn sum(&mut self, a: usize, b: usize) -> usize {
        match (self.nodes[a], self.nodes[b]) {
            (Node::Term(x, power), Node::Term(y, other)) if power == other => self.term(x + y, power),
            _ if self.is_zero(a) => b,
            _ if self.is_zero(b) => a,
            _ => self.add(Node::Sum(a, b)),
        }
    }

    pub(super) fn difference(&mut self, a: usize, b: usize) -> usize {
        match (self.nodes[a], self.nodes[b]) {
            (Node::Term(x, power), Node::Term(y, other)) if power == other => self.term(x - y, power),
            _ if self.is_zero(a) => self.negative(b),
            _ if self.is_zero(b) => a,
            _ => self.add(Node::Difference(a, b)),
        }
    }

    fn negative(&mut self, a: usize) -> usize {
        let minus = self.term(-1.0, 0);
        self.product(minus, a)
    }

    fn product(&mut self, a: usize, b: usize) -> usize {
        // Terms come first.
        let (a, b) = if matches!(self.nodes[b], Node::Term(..)) { (b, a) } else { (a, b) };
        match (self.nodes[a], self.nodes[b]) {
            _ if self.is_zero(a) => a,
            _ if self.is_one(a) => b,
            (Node::Term(x, power), Node::Term(y, other)) if moderate(x * y) => {
                self.term(x * y, power + other)
            }
            // A term goes into the terms of a sum, whose powers of r may then be even.
            (Node::Term(x, _), Node::Sum(c, d)) if self.is_short_polynomial(b, x) => {
                let (c, d) = (self.product(a, c), self.product(a, d));
                self.sum(c, d)
            }
            (Node::Term(x, _), Node::Difference(c, d)) if self.is_short_polynomial(b, x) => {
                let (c, d) = (self.product(a, c), self.product(a, d));
                self.difference(c, d)
            }
            (Node::Term(..), Node::Product(inner, rest)) if matches!(self.nodes[inner], Node::Term(..)) => {
                let both = self.product(a, inner);
                match self.nodes[both] {
                    Node::Term(..) => self.product(both, rest),
                    _ => self.add(Node::Product(a, b)),
                }
            }
            _ => self.add(Node::Product(a, b)),
        }
    }

    /// Whether it is a sum of few terms, which a factor can be multiplied into. Longer ones stay as they were written: multiplied out they
    /// would grow with each definition that uses another, and lose digits that a recurrence keeps.
    fn is_short_polynomial(&self, a: usize, factor: f64) -> bool {
        const MOST_TERMS: usize = 4;
        self.are_terms(a, factor, &mut { MOST_TERMS })
    }

    /// Whether it is a sum of terms, of no more than are `left`.
    fn are_terms(&self, a: usize, factor: f64, left: &mut usize) -> bool {
        match self.nodes[a] {
            Node::Term(number, _) if *left > 0 => {
                *left -= 1;
                moderate(number * factor)
            }
            Node::Sum(b, c) | Node::Difference(b, c) if *left > 0 => {
                self.are_terms(b, factor, left) && self.are_terms(c, factor, left)
            }
            _ => false,
        }
    }

    fn one(&mut self, function: Function, a: usize) -> usize {
        match (function, self.nodes[a]) {
            (_, Node::Term(x, 0)) => self.term(function.of(x), 0),
            (Function::Inverse, Node::Term(x, power)) if moderate(1.0 / x) => self.term(1.0 / x, -power),
            (Function::Named(Code::Sqrt), Node::Term(x, power)) if power % 2 == 0 && x > 0.0 => {
                self.term(x.sqrt(), power / 2)
            }
            _ => self.add(Node::One(function, a)),
        }
    }

    fn inverse(&mut self, a: usize) -> usize {
        self.one(Function::Inverse, a)
    }

    /// A power of a positive whole exponent by products.
    fn factors(&mut self, a: usize, exponent: u32) -> usize {
        match exponent {
            1 => a,
            _ if exponent.is_multiple_of(2) => {
                let half = self.factors(a, exponent / 2);
                self.product(half, half)
            }
            _ => {
                let less = self.factors(a, exponent - 1);
                self.product(less, a)
            }
        }
    }

    fn power(&mut self, a: usize, b: usize) -> usize {
        let (base, exponent) = (self.nodes[a], self.nodes[b]);
        let Node::Term(exponent, 0) = exponent else { return self.add(Node::Power(a, b)) };
        let whole = exponent.fract() == 0.0 && exponent.abs() <= MOST_FACTORS;
        match base {
            Node::Term(x, 0) => self.term(x.powf(exponent), 0),
            Node::Term(x, power)
                if whole
                    && moderate(x.powf(exponent))
                    && (f64::from(power) * exponent).abs() <= MOST_FACTORS =>
            {
                self.term(x.powf(exponent), power * exponent as i32)
            }
            _ if exponent == 0.0 => self.term(1.0, 0),
            _ if exponent == 0.5 => self.one(Function::Named(Code::Sqrt), a),
            _ if whole && exponent < 0.0 => {
                let power = self.factors(a, -exponent as u32);
                self.inverse(power)
            }
            _ if whole && exponent > 2.0 => {
                // The slope has the power before.
                let less = self.factors(a, exponent as u32 - 1);
                self.product(less, a)
            }
            _ if whole => self.factors(a, exponent as u32),
            _ => self.add(Node::Power(a, b)),
        }
    }

    /// The value of a program at a variable.
    pub(super) fn read(&mut self, program: &[[f64; 2]], variable: usize) -> usize {
        let (mut stack, mut slots) = (Vec::new(), HashMap::new());
        for step in program {
            let number = step[1];
            let mut pop = || stack.pop().unwrap_or(0);
            let result = match code(step) {
                Code::Number => self.term(number, 0),
                Code::R => variable,
                Code::Load => slots.get(&(number as usize)).copied().unwrap_or(0),
                Code::Store => {
                    slots.insert(number as usize, pop());
                    continue;
                }
                Code::Negate => {
                    let a = pop();
                    self.negative(a)
                }
                Code::Sec => {
                    let cosine = self.one(Function::Named(Code::Cos), pop());
                    self.inverse(cosine)
                }
                Code::Csc => {
                    let sine = self.one(Function::Named(Code::Sin), pop());
                    self.inverse(sine)
                }
                Code::Cot => {
                    let tangent = self.one(Function::Named(Code::Tan), pop());
                    self.inverse(tangent)
                }
                code @ (Code::Add
                | Code::Subtract
                | Code::Multiply
                | Code::Divide
                | Code::Power
                | Code::Min
                | Code::Max) => {
                    let b = pop();
                    let a = pop();
                    self.two(code, a, b)
                }
                code => self.one(Function::Named(code), pop()),
            };
            stack.push(result);
        }
        stack.pop().unwrap_or(0)
    }

    fn two(&mut self, code: Code, a: usize, b: usize) -> usize {
        match code {
            Code::Add => self.sum(a, b),
            Code::Subtract => self.difference(a, b),
            Code::Multiply => self.product(a, b),
            Code::Divide => {
                let inverse = self.inverse(b);
                self.product(a, inverse)
            }
            Code::Min => self.add(Node::Choice([b, a, b, a])),
            Code::Max => self.add(Node::Choice([b, a, a, b])),
            _ => self.power(a, b),
        }
    }

    /// The slope in r of a part.
    pub(super) fn slope(&mut self, a: usize) -> usize {
        if let Some(&known) = self.slopes.get(&a) {
            return known;
        }
        let slope = match self.nodes[a] {
            Node::Term(x, power) => self.term(x * f64::from(power), power - 1),
            Node::Sum(b, c) => {
                let (b, c) = (self.slope(b), self.slope(c));
                self.sum(b, c)
            }
            Node::Difference(b, c) => {
                let (b, c) = (self.slope(b), self.slope(c));
                self.difference(b, c)
            }
            Node::Product(b, c) if b == c => {
                let (two, slope) = (self.term(2.0, 0), self.slope(b));
                let twice = self.product(two, slope);
                self.product(twice, b)
            }
            Node::Product(b, c) => {
                let (of_b, of_c) = (self.slope(b), self.slope(c));
                let (left, right) = (self.product(of_b, c), self.product(b, of_c));
                self.sum(left, right)
            }
            Node::Choice([b, c, x, y]) => {
                let (x, y) = (self.slope(x), self.slope(y));
                self.add(Node::Choice([b, c, x, y]))
            }
            Node::Power(b, c) => self.slope_of_power(a, b, c),
            Node::One(function, b) => {
                let (inner, outer) = (self.slope(b), self.slope_of(function, a, b));
                self.product(inner, outer)
            }
        };
        self.slopes.insert(a, slope);
        slope
    }

    /// That of a = b^c.
    fn slope_of_power(&mut self, a: usize, b: usize, c: usize) -> usize {
        let (of_b, of_c) = (self.slope(b), self.slope(c));
        if self.is_zero(of_c) {
            let one = self.term(1.0, 0);
            let less = self.difference(c, one);
            let (power, factor) = (self.power(b, less), self.product(c, of_b));
            return self.product(factor, power);
        }
        let (logarithm, inverse) = (self.one(Function::Named(Code::Log), b), self.inverse(b));
        let (rising, change) = (self.product(of_c, logarithm), self.product(of_b, inverse));
        let growing = self.product(c, change);
        let both = self.sum(rising, growing);
        self.product(a, both)
    }

    /// That of a function in its argument b, at which it has the value a.
    fn slope_of(&mut self, function: Function, a: usize, b: usize) -> usize {
        let code = match function {
            Function::Named(code) => code,
            Function::Inverse => {
                let square = self.product(a, a);
                return self.negative(square);
            }
            Function::Sign => return self.term(0.0, 0),
        };
        let one = self.term(1.0, 0);
        let cosh_or_sinh = |code| Function::Named(if code == Code::Sinh { Code::Cosh } else { Code::Sinh });
        match code {
            Code::Sqrt => {
                let (half, inverse) = (self.term(0.5, 0), self.inverse(a));
                self.product(half, inverse)
            }
            Code::Exp => a,
            Code::Log => self.inverse(b),
            Code::Sin => self.one(Function::Named(Code::Cos), b),
            Code::Cos => {
                let sine = self.one(Function::Named(Code::Sin), b);
                self.negative(sine)
            }
            Code::Tan => {
                let square = self.product(a, a);
                self.sum(one, square)
            }
            Code::Asin | Code::Acos => {
                let square = self.product(b, b);
                let rest = self.difference(one, square);
                let root = self.one(Function::Named(Code::Sqrt), rest);
                let slope = self.inverse(root);
                if code == Code::Asin { slope } else { self.negative(slope) }
            }
            Code::Atan => {
                let square = self.product(b, b);
                let sum = self.sum(one, square);
                self.inverse(sum)
            }
            Code::Sinh | Code::Cosh => self.one(cosh_or_sinh(code), b),
            Code::Tanh => {
                let square = self.product(a, a);
                self.difference(one, square)
            }
            Code::Erf | Code::Erfc => {
                let sign = if code == Code::Erf { 1.0 } else { -1.0 };
                let factor = self.term(sign * std::f64::consts::FRAC_2_SQRT_PI, 0);
                let square = self.product(b, b);
                let exponent = self.negative(square);
                let bell = self.one(Function::Named(Code::Exp), exponent);
                self.product(factor, bell)
            }
            Code::Abs => self.one(Function::Sign, b),
            _ => self.term(0.0, 0),
        }
    }

    /// Whether 1 / r can be taken into its terms.
    fn takes_r(&self, a: usize) -> bool {
        match self.nodes[a] {
            Node::Term(..) => true,
            Node::Sum(b, c) | Node::Difference(b, c) => self.takes_r(b) && self.takes_r(c),
            Node::Product(b, c) => self.takes_r(b) || self.takes_r(c),
            _ => false,
        }
    }

    /// A part times -1 / r.
    pub(super) fn over_r(&mut self, a: usize) -> usize {
        match self.nodes[a] {
            Node::Term(x, power) => self.term(-x, power - 1),
            Node::Sum(b, c) if self.takes_r(a) => {
                let (b, c) = (self.over_r(b), self.over_r(c));
                self.sum(b, c)
            }
            Node::Difference(b, c) if self.takes_r(a) => {
                let (b, c) = (self.over_r(b), self.over_r(c));
                self.difference(b, c)
            }
            Node::Product(b, c) if self.takes_r(b) => {
                let b = self.over_r(b);
                self.product(b, c)
            }
            Node::Product(b, c) if self.takes_r(c) => {
                let c = self.over_r(c);
                self.product(b, c)
            }
            _ => {
                let inverse = self.term(-1.0, -1);
                self.product(inverse, a)
            }
        }
    }

    /// What both results need, in an order in which parts come before what is made of them.
    pub(super) fn needed(self, energy: usize, force: usize) -> Form {
        let mut wanted = vec![false; self.nodes.len()];
        (wanted[energy], wanted[force]) = (true, true);
        for place in (0..self.nodes.len()).rev() {
            if wanted[place] {
                self.nodes[place].parts().into_iter().for_each(|part| wanted[part] = true);
            }
        }
        let mut places = HashMap::new();
        let mut nodes = Vec::new();
        for (place, node) in self.nodes.into_iter().enumerate().filter(|(place, _)| wanted[*place]) {
            places.insert(place, nodes.len());
            nodes.push(node.moved(&places));
        }
        Form { nodes, energy: places[&energy], force: places[&force] }
    }
}
