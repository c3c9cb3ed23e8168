//! Formulas with a value per atom as recipes for the device.

use super::value::Operator;
use super::{Formula, Index, Indexed, Kind, Lookup, Reference, Scope, Step, Value, group_and_region, value};
use crate::script::atom_expr::{AtomExpr, Operation};
use crate::script::functions::Now;

impl Formula {
    /// Whether its values come from a stream of numbers, so that asking twice gives others.
    pub(in crate::script) fn draws(&self) -> bool {
        self.steps.iter().any(|(step, _)| matches!(step, Step::Random { .. } | Step::Next(_)))
    }

    /// Whether it gives the same of an atom at all steps of a run, where the variables that it names do.
    pub(in crate::script) fn stays(&self, variable: impl Fn(&str) -> bool) -> bool {
        self.steps.iter().all(|(step, _)| match step {
            Step::Number(_) | Step::Attribute(_) | Step::Members(..) => true,
            Step::Negate | Step::Not | Step::Binary(_) => true,
            // The others are functions of time.
            Step::Call(function) => Operation::named(function.name).is_some(),
            Step::Reference(Indexed { kind: Kind::Variable, id, index }) => index.is_empty() && variable(id),
            _ => false,
        })
    }

    /// As a recipe; `None` where the device does not have something in it, or where a number in it has no value now, which is for
    /// [`Formula::eval`] to say.
    pub(in crate::script) fn recipe(&self, lookup: &dyn Lookup, scope: &mut dyn Scope) -> Option<AtomExpr> {
        let mut stack: Vec<AtomExpr> = Vec::new();
        for (place, (step, _)) in self.steps.iter().enumerate() {
            let mut take = |count: usize| stack.split_off(stack.len().saturating_sub(count));
            let recipe = match step {
                Step::Attribute(name) => lookup.attribute_recipe(name)?,
                Step::Members(name, words) => {
                    let (group, region) = group_and_region(name, words);
                    lookup.member_recipe(group, region)?
                }
                Step::Reference(Indexed { kind: Kind::Variable, id, index }) if index.is_empty() => {
                    scope.recipe(id)?
                }
                Step::Reference(Indexed { kind, id, index }) if *kind != Kind::Variable => {
                    let number = |index: &Index| match index {
                        Index::Number(n) => Some(*n),
                        Index::Variable(_) => None,
                    };
                    let index = index.iter().map(number).collect::<Option<_>>()?;
                    lookup.recipe(&Reference { kind: *kind, id: id.clone(), index })?
                }
                Step::Negate => -take(1).pop()?,
                Step::Not => operation("!", take(1))?,
                Step::Binary(operator) => {
                    let (a, b) = (take(2), |x: &[f64]| operator.apply(x[0], x[1]).ok());
                    // As it is written, so that a recipe has the same operations whatever its numbers.
                    let by = self.steps.get(place.wrapping_sub(1)).map(|(step, _)| step);
                    let square = *operator == Operator::Power && matches!(by, Some(Step::Number(2.0)));
                    match folded(&a, b) {
                        Some(number) => number,
                        None if square => a.into_iter().next()?.square(),
                        None => operation(value::token(*operator)?, a)?,
                    }
                }
                Step::Call(function) => {
                    let arguments = take(function.arguments);
                    let now = Now::of(lookup);
                    folded(&arguments, |x| (function.value)(x, &now).ok())
                        .or_else(|| operation(function.name, arguments))?
                }
                Step::Random { .. } | Step::Next(_) | Step::OfAtom(..) => return None,
                number => match self.step(number, &mut Vec::new(), lookup, scope).ok()? {
                    Value::Number(x) => AtomExpr::number(x),
                    _ => return None,
                },
            };
            stack.push(recipe);
        }
        stack.pop()
    }
}

fn operation(token: &str, arguments: Vec<AtomExpr>) -> Option<AtomExpr> {
    Some(AtomExpr::apply(Operation::named(token)?, arguments))
}

/// Of numbers that are the same for all atoms, one.
fn folded(arguments: &[AtomExpr], of: impl FnOnce(&[f64]) -> Option<f64>) -> Option<AtomExpr> {
    let numbers: Vec<f64> = arguments.iter().map(AtomExpr::same).collect::<Option<_>>()?;
    of(&numbers).filter(|x| !x.is_nan()).map(AtomExpr::number)
}
