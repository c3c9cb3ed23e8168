//! What pair styles of three bodies share: a file with numbers for each triplet of elements, the element of each type, partial forces.
//! A style supplies the rest ([`Formula`]).

use super::many_body::{self, Around, Contribution, FirstPass, Leaves, Loaded, ManyBody, Types, no_numbers};
use super::potential_file::PotentialFile;
use super::style::{Params, Style};
use crate::base::error::{Error, Result};
use crate::gpu::source::{File, kernel_file};
use crate::model::units::{self, Units};
use crate::script::{Args, Word};
use serde_json::Value;

/// A neighbour as a formula sees it: its distance and the unit vector to it.
#[derive(Clone, Copy)]
pub(super) struct Leg {
    pub(super) r: f64,
    pub(super) unit: [f64; 3],
    /// Its element.
    pub(super) element: usize,
}

/// What a centre does to a neighbour: the slope of its energy by the way to it, and the part of that energy that is counted there.
#[derive(Clone, Copy, Default)]
pub(super) struct Partial {
    pub(super) slope: [f64; 3],
    pub(super) energy: f64,
}

/// What numbers of a file are to be multiplied by in the units of a script.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// Energies.
    pub(super) energy: f64,
    /// The units.
    pub(super) units: &'static Units,
}

/// Adds energies w(cos) E_j E_k of triplets to what neighbours have, and returns the part of these that is counted at the centre: of `rise`, E of a
/// neighbour and the slope of its logarithm, and `angle`, w of two neighbours by their places and a cosine, and its slope.
pub(super) fn add_triplets(
    legs: &[Leg],
    partials: &mut [Partial],
    rise: impl Fn(&Leg) -> [f64; 2],
    angle: impl Fn(usize, usize, f64) -> [f64; 2],
) -> f64 {
    let mut energy = 0.0;
    for j in 0..legs.len() {
        for k in j + 1..legs.len() {
            let cosine: f64 = (0..3).map(|d| legs[j].unit[d] * legs[k].unit[d]).sum();
            let both = rise(&legs[j])[0] * rise(&legs[k])[0];
            if both == 0.0 {
                continue;
            }
            let [whole, turn] = angle(j, k, cosine).map(|w| w * both);
            energy += whole / 3.0;
            for (one, other) in [(j, k), (k, j)] {
                let (leg, next) = (&legs[one], &legs[other]);
                let slope = whole * rise(leg)[1];
                partials[one].energy += whole / 3.0;
                for d in 0..3 {
                    partials[one].slope[d] +=
                        turn / leg.r * (next.unit[d] - cosine * leg.unit[d]) + slope * leg.unit[d];
                }
            }
        }
    }
    energy
}

/// The energy that is counted at a centre of an element with its neighbours, and what it does to each of them.
type EnergyOf<'a> = dyn Fn(usize, &[Leg]) -> (f64, Vec<Partial>) + 'a;

/// Adds what all centres have to a twin's sums: neighbours are seen as far as `reach` says of two elements, and `energy_of` makes of a centre and its
/// neighbours the energy that is counted there, and what it does to them.
pub(super) fn add_centres(
    params: &dyn Fn(u32, u32) -> Option<Params>,
    kind: &[u32],
    around: &[Around],
    reach: &dyn Fn(usize, usize) -> f64,
    energy_of: &EnergyOf<'_>,
    to: &mut Contribution<'_>,
) {
    for (i, list) in around.iter().enumerate() {
        let mut centre = None;
        let mut near = Vec::new();
        for (j, way) in list {
            let Some(pair) = params(kind[i], kind[*j]) else { continue };
            let r = way.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [own, element] = [pair[0] as usize, pair[1] as usize];
            if r < reach(own, element) {
                centre = Some(own);
                near.push((*j, Leg { r, unit: way.map(|x| x / r), element }));
            }
        }
        let Some(centre) = centre else { continue };
        let legs: Vec<Leg> = near.iter().map(|(_, leg)| *leg).collect();
        let (energy, partials) = energy_of(centre, &legs);
        to.energy[i] += energy;
        for ((j, leg), Partial { slope, energy }) in near.iter().zip(partials) {
            to.energy[*j] += energy;
            to.force[i].iter_mut().zip(slope).for_each(|(force, slope)| *force += slope);
            to.force[*j].iter_mut().zip(slope).for_each(|(force, slope)| *force -= slope);
            for (k, (d, e)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
                to.virial[i][k] -= leg.r * leg.unit[d] * slope[e];
            }
        }
    }
}

/// Numbers of a triplet of elements (centre, neighbour, other neighbour).
pub(super) type Entries<'a> = dyn Fn(usize, usize, usize) -> &'a [f64] + 'a;

/// A potential of three bodies.
pub(super) trait Formula: Send + Sync {
    /// As in `pair_style`.
    fn name(&self) -> &'static str;

    /// The file in cl/pair/ that defines `around_atom`.
    fn snippet(&self) -> File;

    /// How many numbers stand behind the three elements of an entry.
    fn width(&self) -> usize;

    /// The numbers as they are used, from those of the file.
    ///
    /// # Errors
    /// Says which number is not what it should be.
    fn entry(&self, numbers: &[f64], scale: Scale) -> std::result::Result<Vec<f64>, String>;

    /// Whether the entries of all elements fit together.
    ///
    /// # Errors
    /// Says which do not.
    fn check(&self, _table: &Table) -> std::result::Result<(), String> {
        Ok(())
    }

    /// Whether `pair_coeff` may name pairs of types, as there are no forces of three bodies.
    fn by_pairs(&self) -> bool {
        false
    }

    /// How far a triplet reaches; of the numbers as they are used.
    fn cutoff(&self, entry: &[f64]) -> f64;

    /// How far what it has is large enough to be seen in any sum.
    fn seen_within(&self, entry: &[f64]) -> f64 {
        self.cutoff(entry)
    }

    /// The same of triplets alone, where pairs are not among the partial forces.
    fn triplet_cutoff(&self, entry: &[f64]) -> f64 {
        self.seen_within(entry)
    }

    /// The file in cl/pair/ of pairs, where these are not among the partial forces.
    fn pairs(&self) -> Option<File> {
        None
    }

    /// How far these reach, and the numbers that the file reads.
    fn pair_numbers<'a>(&self, _entry: &'a [f64]) -> (f64, &'a [f64]) {
        (0.0, &[0.0])
    }

    /// Its first so many numbers belong to the angle between two neighbours, whose order does not matter.
    fn of_angle(&self) -> usize {
        0
    }

    /// What the kernel's function takes.
    fn leaves(&self) -> Leaves;

    /// The same potential as kernels for GPUs compute it faster, where that is another way.
    fn on_gpus(&self, _table: &Table) -> Option<Box<dyn Style>> {
        None
    }

    /// The plain version of `around_atom`: the energy at a centre, and what it does to each neighbour.
    fn around(&self, centre: usize, legs: &[Leg], entries: &Entries<'_>) -> (f64, Vec<Partial>);
}

/// What `pair_coeff` has read from a file.
#[derive(Clone, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct Table {
    /// Elements of the script, each once.
    pub(super) elements: Vec<String>,
    /// Numbers of all ordered triplets of these.
    entries: Vec<Vec<f64>>,
}

impl Table {
    /// The numbers of a triplet of elements: of the centre, and of both others.
    pub(super) fn entry(&self, i: usize, j: usize, k: usize) -> &[f64] {
        let n = self.elements.len();
        &self.entries[(i * n + j) * n + k]
    }
}

/// A style made of a formula.
pub(super) struct ThreeBody<F> {
    formula: F,
    pub(super) table: Table,
    on_gpus: Option<Box<dyn Style>>,
}

/// A style without coefficients.
pub(super) fn style(formula: impl Formula + 'static) -> Box<dyn Style> {
    Box::new(ThreeBody { formula, table: Table::default(), on_gpus: None })
}

impl<F: Formula> ThreeBody<F> {
    /// The style with coefficients, for a formula that computes another way on GPUs.
    pub(super) fn with_table(formula: F, table: Table) -> Self {
        ThreeBody { formula, table, on_gpus: None }
    }

    fn entry(&self, i: usize, j: usize, k: usize) -> &[f64] {
        self.table.entry(i, j, k)
    }

    fn set_table(&mut self, table: Table) {
        self.on_gpus = self.formula.on_gpus(&table);
        self.table = table;
    }

    /// How far two elements see each other, in whatever triplet, where a triplet reaches as far as `distance` says.
    fn farthest(&self, i: usize, j: usize, distance: impl Fn(&F, &[f64]) -> f64) -> f64 {
        let legs = (0..self.table.elements.len()).flat_map(|k| [(i, j, k), (i, k, j), (j, i, k), (j, k, i)]);
        legs.map(|(i, j, k)| distance(&self.formula, self.entry(i, j, k))).fold(0.0, f64::max)
    }

    fn reach(&self, i: usize, j: usize) -> f64 {
        self.farthest(i, j, F::cutoff)
    }

    /// The entries of a file for these elements; `lacks` says that one is none of those there.
    fn read_entries(
        &self,
        file: &mut PotentialFile,
        elements: &[String],
        scale: Scale,
        lacks: impl Fn(&str, &[String]) -> Error,
    ) -> Result<Vec<Vec<f64>>> {
        let n = elements.len();
        let mut there: Vec<String> = Vec::new();
        let mut entries: Vec<Option<Vec<f64>>> = vec![None; n * n * n];
        while let Some(entry) = file.entry(3, self.formula.width())? {
            for name in &entry.names {
                if !there.contains(name) {
                    there.push(name.clone());
                }
            }
            let places: Option<Vec<usize>> =
                entry.names.iter().map(|name| elements.iter().position(|element| element == name)).collect();
            let Some(places) = places else { continue };
            let triplet = entry.names.join(" ");
            let mut numbers = self
                .formula
                .entry(&entry.numbers, scale)
                .map_err(|what| file.error_at(entry.line, &format!("{what}, for {triplet}")))?;
            // Numbers of pairs in a triplet that is none are not used, and may be anything; restart files hold no infinities.
            numbers.iter_mut().filter(|number| !number.is_finite()).for_each(|number| *number = 0.0);
            let place = &mut entries[(places[0] * n + places[1]) * n + places[2]];
            if place.replace(numbers).is_some() {
                return Err(file.error_at(entry.line, &format!("there are two entries for {triplet}")));
            }
        }
        let missing = entries.iter().position(Option::is_none);
        if let Some(k) = missing {
            let triplet = [k / n / n, k / n % n, k % n].map(|element| elements[element].as_str()).join(" ");
            return Err(match elements.iter().find(|element| !there.contains(element)) {
                Some(element) => lacks(element, &there),
                None => {
                    let message = format!("the potential file ends without an entry for {triplet}");
                    file.error_at_end(&message)
                        .help(format!("it needs a line for each triplet of {}: add it", elements.join(" ")))
                }
            });
        }
        let mut entries: Vec<Vec<f64>> = entries.into_iter().flatten().collect();
        for (i, j, k) in (0..n * n * n).map(|at| (at / n / n, at / n % n, at % n)).filter(|&(_, j, k)| j < k)
        {
            let [one, other] = [(i * n + j) * n + k, (i * n + k) * n + j];
            let both = entries[one].iter().zip(&entries[other]).take(self.formula.of_angle());
            let mean: Vec<f64> = both.map(|(a, b)| f64::midpoint(*a, *b)).collect();
            entries[one][..mean.len()].copy_from_slice(&mean);
            entries[other][..mean.len()].copy_from_slice(&mean);
        }
        Ok(entries)
    }
}

impl<F: Formula> Style for ThreeBody<F> {
    fn name(&self) -> &'static str {
        self.formula.name()
    }

    fn snippet(&self) -> File {
        self.formula.pairs().unwrap_or(kernel_file!("pair/zero.cl"))
    }

    fn global(&self) -> &[f64] {
        &[]
    }

    fn parse(&self, args: &mut Args<'_>) -> Result<Params> {
        Err(no_numbers(args, self.name()))
    }

    fn cutoff(&self, params: &[f64]) -> f64 {
        self.reach(params[0] as usize, params[1] as usize)
    }

    fn seen_within(&self, params: &[f64]) -> f64 {
        let [i, j] = [params[0] as usize, params[1] as usize];
        match self.formula.pairs() {
            Some(_) => self.formula.pair_numbers(self.entry(i, j, j)).0,
            None => self.farthest(i, j, F::seen_within),
        }
    }

    fn evaluate(&self, _params: &[f64], _rsq: f64) -> (f64, f64) {
        (0.0, 0.0)
    }

    fn coefficients(&self, params: &[f64], _shift: f64) -> Vec<f64> {
        let [i, j] = [params[0] as usize, params[1] as usize];
        self.formula.pair_numbers(self.entry(i, j, j)).1.to_vec()
    }

    fn on_gpus(&self) -> Option<&dyn Style> {
        self.on_gpus.as_deref()
    }

    fn many_body(&self) -> Option<&dyn ManyBody> {
        Some(self)
    }

    fn many_body_mut(&mut self) -> Option<&mut dyn ManyBody> {
        Some(self)
    }
}

impl<F: Formula> ManyBody for ThreeBody<F> {
    /// `* * FILE ELEMENT ...`.
    fn read(&mut self, args: &mut Args<'_>, types: &Types<'_>) -> Result<Loaded> {
        if !self.formula.by_pairs() {
            types.check_all(args, self.name())?;
        }
        let word = args.word("a potential file")?;
        let names = types.elements(args)?;
        let mut elements: Vec<String> = Vec::new();
        for name in names.iter().filter(|name| name.text != "NULL") {
            if !elements.contains(&name.text) {
                elements.push(name.text.clone());
            }
        }
        // All lines are of one table.
        if self.formula.by_pairs() && !self.table.elements.is_empty() && self.table.elements != elements {
            let error = args.error(word, "pair_coeff lines of one style name other elements");
            return Err(error.help("write the elements of all atom types in each of them, in the same order"));
        }
        let mut loaded = Loaded::default();
        let (mut file, factor) = loaded.open(args, word, self.name(), types.units)?;
        let scale = Scale { energy: factor, units: units::named(types.units)? };
        let lacks = |element: &str, there: &[String]| {
            let name = names.iter().find(|name| name.text == element).copied().unwrap_or(word);
            let message = format!("the potential file {} has no element '{element}'", word.text);
            args.error(name, message).help(format!("its elements are {}", there.join(" ")))
        };
        let entries = self.read_entries(&mut file, &elements, scale, lacks)?;
        let element = |name: &&Word| elements.iter().position(|element| *element == name.text);
        loaded.add_pairs(&names.iter().map(element).collect::<Vec<_>>());
        let [first, second] = &types.ranges;
        loaded.pairs.retain(|([i, j], _)| first.contains(i) && second.contains(j));
        let table = Table { elements, entries };
        self.formula.check(&table).map_err(|what| file.error(&what))?;
        self.set_table(table);
        Ok(loaded)
    }

    fn first_pass(&self) -> FirstPass {
        FirstPass { snippet: self.formula.snippet(), leaves: self.formula.leaves() }
    }

    fn has_pairs(&self) -> bool {
        self.formula.pairs().is_some()
    }

    fn pass_reach(&self, params: &[f64]) -> Option<f64> {
        self.formula.pairs()?;
        Some(self.farthest(params[0] as usize, params[1] as usize, F::triplet_cutoff))
    }

    fn triplet(&self, one: &[f64], other: &[f64]) -> Vec<f64> {
        self.entry(one[0] as usize, one[1] as usize, other[1] as usize).to_vec()
    }

    fn evaluate_all(
        &self,
        params: &dyn Fn(u32, u32) -> Option<Params>,
        kind: &[u32],
        around: &[Around],
        to: &mut Contribution<'_>,
    ) {
        let reach = |i, j| self.reach(i, j);
        let energy =
            |centre: usize, legs: &[Leg]| self.formula.around(centre, legs, &|i, j, k| self.entry(i, j, k));
        add_centres(params, kind, around, &reach, &energy, to);
    }

    fn save(&self) -> Value {
        serde_json::json!(self.table)
    }

    fn restore(&mut self, saved: Value) -> Result<()> {
        let table = many_body::saved(self.name(), saved)?;
        self.set_table(table);
        Ok(())
    }
}
