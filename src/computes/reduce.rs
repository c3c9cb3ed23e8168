//! `compute reduce` and `compute reduce/region`: sums, means and extremes of values per atom over a group, or of local values.
//! Source: LAMMPS manual.

use crate::base::error::{Error, Result};
use crate::engine::analysis::per_atom::Moments;
use crate::model::region::Region;
use crate::script::formula::Reference;
use crate::script::{Args, Word};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{Shape, Values, header};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{AtomValue, Form, Input};
use std::borrow::Cow;

/// What is made of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Sum,
    SumSquares,
    SumAbsolute,
    Least,
    Greatest,
    LeastAbsolute,
    GreatestAbsolute,
    Mean,
    MeanSquare,
    MeanAbsolute,
}

const MODES: [(&str, Mode); 10] = [
    ("sum", Mode::Sum),
    ("min", Mode::Least),
    ("max", Mode::Greatest),
    ("ave", Mode::Mean),
    ("sumsq", Mode::SumSquares),
    ("avesq", Mode::MeanSquare),
    ("sumabs", Mode::SumAbsolute),
    ("aveabs", Mode::MeanAbsolute),
    ("minabs", Mode::LeastAbsolute),
    ("maxabs", Mode::GreatestAbsolute),
];

impl Mode {
    /// Of values per atom; 0 without atoms, and the largest numbers for extremes.
    fn of(self, values: Moments) -> f64 {
        let mean = |sum: f64| if values.count > 0.0 { sum / values.count } else { sum };
        match self {
            Mode::Sum => values.sum,
            Mode::SumSquares => values.squares,
            Mode::SumAbsolute => values.sizes,
            Mode::Mean => mean(values.sum),
            Mode::MeanSquare => mean(values.squares),
            Mode::MeanAbsolute => mean(values.sizes),
            Mode::Least => values.extremes[0].min(1e20),
            Mode::Greatest => values.extremes[1].max(-1e20),
            Mode::LeastAbsolute => values.extreme_sizes[0].min(1e20),
            Mode::GreatestAbsolute => values.extreme_sizes[1].max(0.0),
        }
    }
}

struct Reduce {
    header: Header,
    region: Option<Region>,
    mode: Mode,
    origins: Vec<Origin>,
    /// `replace A B`: instead of the extreme of A, the value of A of the atom that has the extreme of B.
    replaced: Vec<Option<usize>>,
}

/// What values are taken of.
enum Origin {
    Atoms(AtomValue),
    /// `inputs local`.
    Local(Input),
}

impl Origin {
    fn input(&self) -> Option<&Input> {
        match self {
            Origin::Atoms(value) => value.input(),
            Origin::Local(input) => Some(input),
        }
    }
}

/// Takes `MODE INPUT ... [replace A B] [inputs peratom|local]`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    read(header, None, session, args)
}

/// Takes a region's name before the same.
pub(crate) fn region(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let region = session.system.regions.moving_arg(args)?.clone();
    read(header, Some(region), session, args)
}

fn read(
    header: Header,
    region: Option<Region>,
    session: &Session,
    args: &mut Args<'_>,
) -> Result<Box<dyn Compute>> {
    let mode = args.one_of("way to reduce", &MODES)?;
    let local = args.rest().windows(2).any(|pair| pair[0].text == "inputs" && pair[1].text == "local");
    if let (Some(_), true) = (&region, local) {
        return Err(args
            .error_here("local values are nowhere, so no region holds them")
            .help("use compute reduce"));
    }
    let mut origins = Vec::new();
    let value = |word: &Word| !matches!(&*word.text, "replace" | "inputs");
    while origins.is_empty() || args.peek().is_some_and(value) {
        if local {
            origins.extend(Input::take(session, args, Form::Local)?.into_iter().map(Origin::Local));
            continue;
        }
        let word = args.word("a value per atom")?;
        origins.extend(AtomValue::read(session, args, word)?.into_iter().map(Origin::Atoms));
    }
    let mut replaced = vec![None; origins.len()];
    while !args.is_empty() {
        if args.one_of("keyword", &[("inputs", true), ("replace", false)])? {
            args.one_of("kind of values", &[("peratom", ()), ("local", ())])?;
            continue;
        }
        let word = args.peek();
        let [what, by] = [args.int("the number of a value")?, args.int("the number of a value")?];
        let extreme = matches!(mode, Mode::Least | Mode::Greatest);
        if let (Some(word), false) = (word, extreme) {
            return Err(args.error(word, "only min and max have values to replace"));
        }
        let fits = |n: usize| (1..=origins.len()).contains(&n);
        if let (Some(word), false) = (word, fits(what) && fits(by) && what != by) {
            return Err(args.error(word, format_args!("values have the numbers 1 to {}", origins.len())));
        }
        replaced[what - 1] = Some(by - 1);
    }
    Ok(Box::new(Reduce { header, region, mode, origins, replaced }))
}

impl Reduce {
    /// Summaries by the device, where all values are per atom and it can make them.
    fn on_device(&self, system: &Snapshot<'_>) -> Result<Option<Vec<Moments>>> {
        let recipe = |origin: &Origin| match origin {
            Origin::Atoms(value) => value.recipe(system),
            Origin::Local(_) => None,
        };
        if !system.works_out() || self.replaced.iter().any(Option::is_some) {
            return Ok(None);
        }
        let Some(recipes) = self.origins.iter().map(recipe).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        system.moments(recipes, self.header.group, self.region.as_ref())
    }

    fn values(values: &[f64]) -> Values {
        match values[..] {
            [one] => Values::scalar(one),
            _ => Values::vector(values.to_vec()),
        }
    }
}

impl Compute for Reduce {
    header!();

    fn shape(&self) -> Shape {
        match self.origins.len() {
            1 => Shape::SCALAR,
            n => Shape::vector(n),
        }
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        if let Some(summaries) = self.on_device(system)? {
            let values: Vec<f64> = summaries.into_iter().map(|summary| self.mode.of(summary)).collect();
            return Ok(Reduce::values(&values));
        }
        let column = |origin: &Origin| match origin {
            Origin::Atoms(value) => value.get(system, self.header.group),
            Origin::Local(input) => input.local(system),
        };
        let columns: Vec<Vec<f64>> = self.origins.iter().map(column).collect::<Result<_>>()?;
        let atoms = match self.origins[0] {
            Origin::Atoms(_) => Some(system.indices(self.header.group, self.region.as_ref())?),
            Origin::Local(_) => None,
        };
        // Local values of several computes may be of different numbers: of bonds, of pairs.
        let members = |column: usize| match &atoms {
            Some(atoms) => Cow::Borrowed(&atoms[..]),
            None => (0..columns[column].len()).collect(),
        };
        let value = |column: usize| match self.replaced[column] {
            None => Ok(self.mode.of(Moments::of(members(column).iter().map(|&i| columns[column][i])))),
            Some(by) if columns[by].len() != columns[column].len() => Err(Error::new(format!(
                "values {} and {} are of different numbers, so that none of them belong together",
                by + 1,
                column + 1
            ))
            .help("replace a value by one of the same kind, such as another of the same compute")),
            Some(by) => {
                let key =
                    |i: &&usize| if self.mode == Mode::Least { columns[by][**i] } else { -columns[by][**i] };
                let members = members(by);
                let found = members.iter().min_by(|a, b| key(a).total_cmp(&key(b)));
                Ok(found.map_or(0.0, |&i| columns[column][i]))
            }
        };
        let values: Vec<f64> = (0..columns.len()).map(value).collect::<Result<_>>()?;
        Ok(Reduce::values(&values))
    }

    fn inputs(&self) -> Vec<Reference> {
        let inputs = self.origins.iter().filter_map(Origin::input);
        inputs.map(|input| input.reference.clone()).collect()
    }

    fn extensive(&self) -> bool {
        matches!(self.mode, Mode::Sum | Mode::SumSquares | Mode::SumAbsolute)
    }

    fn vector_extensive(&self) -> bool {
        self.extensive()
    }
}
