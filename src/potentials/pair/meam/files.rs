//! The library file of elements and the parameter file of their pairs and triplets. Source: LAMMPS manual, pair_style meam.

use super::super::potential_file::{Entry, PotentialFile};
use super::lattice::{Lattice, SecondShell};
use crate::base::error::Result;
use crate::script::{Args, Word};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// An element.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) lattice: Lattice,
    /// Atomic number.
    pub(super) number: f64,
    pub(super) mass: f64,
    /// How fast its densities fall: beta 0 to 3.
    pub(super) decay: [f64; 4],
    /// Weights of the partial densities 1 to 3.
    pub(super) weight: [f64; 3],
    /// The density at the nearest distance.
    pub(super) density: f64,
    /// A of the embedding function.
    pub(super) embedding: f64,
    /// Which function G of the partial densities it has.
    pub(super) ibar: i32,
}

/// Two elements, in their reference lattice.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pair {
    pub(super) lattice: Lattice,
    /// Energy per atom and distance of first neighbours there; 0 where no file has it.
    pub(super) energy: f64,
    pub(super) distance: f64,
    /// The decay of that energy, and of its cubic term where atoms are apart or close.
    pub(super) alpha: f64,
    pub(super) attract: f64,
    pub(super) repel: f64,
    /// What the energy is less than the mean of both elements'.
    pub(super) delta: f64,
    /// Whether second neighbours see each other.
    pub(super) second: bool,
    /// Whether nuclei repel each other.
    pub(super) nuclei: bool,
    /// The angle at an atom of zig and tri.
    #[serde(default = "straight")]
    pub(super) angle: f64,
}

fn straight() -> f64 {
    PI
}

/// All that both files say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Parameters {
    pub(super) elements: Vec<Element>,
    /// Of ordered pairs.
    pairs: Vec<Pair>,
    /// Cmin and Cmax of ordered triplets: i and j, and k between them.
    screening: Vec<[f64; 2]>,
    pub(super) cutoff: f64,
    /// The length over which forces fall to zero before it.
    pub(super) taper: f64,
    /// How large the part of t3 in t1 is, in steps of 3/5.
    augment: f64,
    /// Where the root of 1 + Gamma goes on smoothly.
    pub(super) smoothing: f64,
    /// How weights of partial densities are averaged: 0, 1, or not at all (2).
    pub(super) averaging: u32,
    /// Whether the reference density has these averages.
    pub(super) averaged_reference: bool,
    /// 0 to 2.
    pub(super) rose_form: u32,
    /// Whether F goes on as a line where densities are negative.
    pub(super) linear: bool,
    /// Whether the reference density is that of the first neighbours alone.
    pub(super) first_shell: bool,
}

/// Words of an entry of the library that are numbers.
const NUMBERS: usize = 17;

impl Element {
    /// From an entry of the library; its lattice constant, cohesive energy and alpha go to the pair of the element with itself.
    fn read(entry: &Entry, file: &PotentialFile) -> Result<(Element, Pair)> {
        let [name, kind] = [0, 1].map(|k| entry.names[k].trim_matches(QUOTES));
        let Some(&(_, lattice)) = Lattice::OF_ELEMENTS.iter().find(|(name, _)| *name == kind) else {
            let known = Lattice::OF_ELEMENTS.map(|(name, _)| name).join(" ");
            let error =
                file.error_at(entry.line, &format!("'{kind}' is no lattice that element {name} may have"));
            return Err(error.help(format!("known: {known}")));
        };
        let Ok::<[f64; NUMBERS], _>(
            [
                z,
                number,
                mass,
                alpha,
                b0,
                b1,
                b2,
                b3,
                length,
                energy,
                embedding,
                t0,
                t1,
                t2,
                t3,
                density,
                ibar,
            ],
        ) = entry.numbers.clone().try_into()
        else {
            return Err(file.error_at(entry.line, "an entry has 17 numbers"));
        };
        let wrong = match () {
            () if z != lattice.neighbors() => {
                format!("z is {z}, but {kind} has {} neighbors", lattice.neighbors())
            }
            () if t0 != 1.0 => format!("t0 is {t0}, and has to be 1"),
            () if ![0.0, 1.0, 3.0, 4.0, -5.0].contains(&ibar) => {
                format!("ibar is {ibar}; there are 0, 1, 3, 4 and -5")
            }
            () if [mass, length, energy, alpha].iter().any(|number| *number <= 0.0) => {
                "atwt, alpha, alat and esub have to be greater than 0".to_owned()
            }
            () if number <= 0.0 || density <= 0.0 => {
                "ielement and rozero have to be greater than 0".to_owned()
            }
            () => String::new(),
        };
        if !wrong.is_empty() {
            return Err(file.error_at(entry.line, &format!("{wrong}, for {name}")));
        }
        let (decay, weight) = ([b0, b1, b2, b3], [t1, t2, t3]);
        let ibar = ibar as i32;
        let element =
            Element { name: name.to_owned(), lattice, number, mass, decay, weight, density, embedding, ibar };
        let own = Pair { lattice, energy, distance: length * lattice.distance(), alpha, ..Pair::default() };
        Ok((element, own))
    }
}

impl Default for Pair {
    fn default() -> Self {
        Pair {
            lattice: Lattice::Fcc,
            energy: 0.0,
            distance: 0.0,
            alpha: 0.0,
            attract: 0.0,
            repel: 0.0,
            delta: 0.0,
            second: false,
            nuclei: true,
            angle: straight(),
        }
    }
}

impl Pair {
    /// [`Lattice::second_shell`].
    pub(super) fn second_shell(&self) -> Option<SecondShell> {
        self.lattice.second_shell(self.angle)
    }

    /// [`Lattice::shape`].
    pub(super) fn shape(&self) -> [f64; 3] {
        self.lattice.shape(self.angle)
    }
}

/// What names of a file may stand in.
const QUOTES: [char; 2] = ['\'', '"'];

/// What stands between the words of a parameter file.
fn between_words(c: char) -> bool {
    c.is_whitespace() || "()=,'".contains(c)
}

impl Parameters {
    /// The entries of a library for these elements, the first of each name; energies in eV.
    ///
    /// # Errors
    /// Where an element is missing, or has numbers that do not fit.
    pub(super) fn from_library(file: &mut PotentialFile, names: &[Word], args: &Args<'_>) -> Result<Self> {
        let mut found: Vec<Option<(Element, Pair)>> = vec![None; names.len()];
        while let Some(entry) = file.entry(2, NUMBERS)? {
            let name = entry.names[0].trim_matches(QUOTES);
            let place = names.iter().position(|word| word.text == name);
            if let Some(place) = place.filter(|&place| found[place].is_none()) {
                found[place] = Some(Element::read(&entry, file)?);
            }
        }
        if let Some(place) = found.iter().position(Option::is_none) {
            let message = format!("the library has no element '{}'", names[place].text);
            return Err(args.error(&names[place], message));
        }
        let n = names.len();
        let mut parameters = Parameters {
            elements: Vec::new(),
            pairs: vec![Pair::default(); n * n],
            screening: vec![[2.0, 2.8]; n * n * n],
            cutoff: 4.0,
            taper: 0.1,
            augment: 1.0,
            smoothing: 99.0,
            averaging: 0,
            averaged_reference: false,
            rose_form: 0,
            linear: false,
            first_shell: false,
        };
        for (i, (element, own)) in found.into_iter().flatten().enumerate() {
            parameters.elements.push(element);
            parameters.pairs[i * n + i] = own;
        }
        Ok(parameters)
    }

    /// Takes what a parameter file changes.
    ///
    /// # Errors
    /// At a word that does not fit.
    pub(super) fn amend(&mut self, file: &mut PotentialFile) -> Result<()> {
        while let Some(line) = file.next_line(between_words) {
            let mut args = Args::new(&line);
            let keyword = args.word("a keyword")?;
            self.set(keyword, &mut args)?;
            args.finish()?;
        }
        Ok(())
    }

    fn set(&mut self, keyword: &Word, args: &mut Args<'_>) -> Result<()> {
        let n = self.elements.len();
        let element = |args: &mut Args<'_>| -> Result<usize> {
            Ok(args.count_up_to("the number of an element", 1, n)? - 1)
        };
        let two = |args: &mut Args<'_>| -> Result<[usize; 2]> { Ok([element(args)?, element(args)?]) };
        match keyword.text.as_str() {
            "rc" => self.cutoff = args.positive("the cutoff distance")?,
            "delr" => self.taper = args.positive("the length over which forces fall to zero")?,
            "augt1" => self.augment = f64::from(choice(args, 1)?),
            "gsmooth_factor" => self.smoothing = args.positive("a factor")?,
            "ialloy" => self.averaging = choice(args, 2)?,
            "mixture_ref_t" => self.averaged_reference = choice(args, 1)? == 1,
            "erose_form" => self.rose_form = choice(args, 2)?,
            "emb_lin_neg" => self.linear = choice(args, 1)? == 1,
            "bkgd_dyn" => self.first_shell = choice(args, 1)? == 1,
            "rho0" => {
                let place = element(args)?;
                self.elements[place].density = args.positive("a density")?;
            }
            "Cmin" | "Cmax" => {
                let ([i, j], k) = (two(args)?, element(args)?);
                let number = args.f64("a bound of screening")?;
                self.screening[(i * n + j) * n + k][usize::from(keyword.text == "Cmax")] = number;
            }
            "theta" => {
                let [i, j] = two(args)?;
                let word = args.peek();
                let angle = args.positive("an angle in degrees")?;
                if let Some(word) = word.filter(|_| angle > 180.0) {
                    return Err(args.error(word, format_args!("an angle of {angle} degrees is beyond 180")));
                }
                self.pairs[i.min(j) * n + i.max(j)].angle = angle.to_radians();
            }
            "nn2" | "zbl" => {
                let [i, j] = two(args)?;
                let is = choice(args, 1)? == 1;
                let pair = &mut self.pairs[i.min(j) * n + i.max(j)];
                *(if keyword.text == "nn2" { &mut pair.second } else { &mut pair.nuclei }) = is;
            }
            "lattce" => {
                let [i, j] = two(args)?;
                self.pairs[i * n + j].lattice = lattice(args, i == j)?;
                if i == j {
                    self.elements[i].lattice = self.pairs[i * n + j].lattice;
                }
            }
            "Ec" | "alpha" | "delta" | "re" | "attrac" | "repuls" => {
                let [i, j] = two(args)?;
                let number = args.f64("a number")?;
                let pair = &mut self.pairs[i * n + j];
                match keyword.text.as_str() {
                    "Ec" => pair.energy = number,
                    "alpha" => pair.alpha = number,
                    "delta" => pair.delta = number,
                    "re" => pair.distance = number,
                    "attrac" => pair.attract = number,
                    _ => pair.repel = number,
                }
            }
            _ => return Err(args.unknown(keyword, "keyword of a parameter file", KEYWORDS.into_iter())),
        }
        Ok(())
    }

    /// Fills in what follows from the rest: pairs that no file has, and those in the other order.
    ///
    /// # Errors
    /// Says which numbers do not fit together.
    pub(super) fn complete(&mut self) -> std::result::Result<(), String> {
        let n = self.elements.len();
        for element in &mut self.elements {
            element.weight[0] += 0.6 * self.augment * element.weight[2];
        }
        for (i, j) in (0..n * n).map(|at| (at / n, at % n)).filter(|(i, j)| i < j) {
            let [a, b] = [&self.pairs[i * n + i], &self.pairs[j * n + j]];
            let mean = |of: fn(&Pair) -> f64| f64::midpoint(of(a), of(b));
            let (alpha, distance) = (mean(|pair| pair.alpha), mean(|pair| pair.distance));
            let energy = match self.pairs[i * n + j].lattice {
                Lattice::L12 => (3.0 * a.energy + b.energy) / 4.0,
                Lattice::C11 if a.lattice == Lattice::Diamond => (2.0 * a.energy + b.energy) / 3.0,
                Lattice::C11 => (a.energy + 2.0 * b.energy) / 3.0,
                _ => mean(|pair| pair.energy),
            };
            let pair = &mut self.pairs[i * n + j];
            let or = |given: f64, else_: f64| if given == 0.0 { else_ } else { given };
            pair.energy = or(pair.energy, energy - pair.delta);
            pair.alpha = or(pair.alpha, alpha);
            pair.distance = or(pair.distance, distance);
            self.pairs[j * n + i] = pair.clone();
            for k in 0..n {
                self.screening[(j * n + i) * n + k] = self.screening[(i * n + j) * n + k];
            }
        }
        let name = |k: usize| self.elements[k].name.as_str();
        for (at, pair) in self.pairs.iter().enumerate() {
            let (i, j) = (at / n, at % n);
            if pair.distance <= 0.0 {
                return Err(format!("re of {} and {} has to be greater than 0", name(i), name(j)));
            }
            let [[least, _], [other, _]] = [self.screen(i, i, j), self.screen(j, j, i)];
            if pair.second && pair.second_shell().is_none() {
                return Err(format!("nn2 of {} and {} has no second neighbors in dia3", name(i), name(j)));
            }
            if pair.second && pair.lattice == Lattice::Diamond && least.min(other) <= 0.500_001 {
                return Err(format!(
                    "with nn2 and dia Cmin of {} and {} has to be above 0.5",
                    name(i),
                    name(j)
                ));
            }
        }
        if let Some(at) = self.screening.iter().position(|[least, most]| least >= most) {
            let [i, j, k] = [at / n / n, at / n % n, at % n].map(name);
            return Err(format!("Cmin of {i} {j} {k} is not below Cmax"));
        }
        Ok(())
    }

    /// Two elements.
    pub(super) fn pair(&self, i: usize, j: usize) -> &Pair {
        &self.pairs[i * self.elements.len() + j]
    }

    /// Cmin and Cmax of i and j with k between them.
    pub(super) fn screen(&self, i: usize, j: usize, k: usize) -> [f64; 2] {
        let n = self.elements.len();
        self.screening[(i * n + j) * n + k]
    }

    /// The largest Cmax of i and j, whatever stands between them.
    pub(super) fn most_screening(&self, i: usize, j: usize) -> f64 {
        (0..self.elements.len()).map(|k| self.screen(i, j, k)[1]).fold(0.0, f64::max)
    }

    /// How far an atom sees others: those that screen one within the cutoff may stand behind it.
    pub(super) fn reach(&self) -> f64 {
        let behind =
            |[_, most]: &[f64; 2]| if *most > 2.0 { most.powi(2) / (4.0 * (most - 1.0)) } else { 1.0 };
        self.cutoff * self.screening.iter().map(behind).fold(1.0, f64::max).sqrt()
    }
}

/// What a line of a parameter file may begin with.
const KEYWORDS: [&str; 22] = [
    "Ec",
    "alpha",
    "rho0",
    "delta",
    "lattce",
    "attrac",
    "repuls",
    "nn2",
    "Cmin",
    "Cmax",
    "rc",
    "delr",
    "augt1",
    "gsmooth_factor",
    "re",
    "ialloy",
    "mixture_ref_t",
    "erose_form",
    "zbl",
    "emb_lin_neg",
    "bkgd_dyn",
    "theta",
];

/// A whole number up to `most`, as 1 or 1.0.
fn choice(args: &mut Args<'_>, most: u32) -> Result<u32> {
    let what = format!("a whole number from 0 to {most}");
    let word = args.word(&what)?;
    let number = word.text.parse::<f64>().unwrap_or(f64::NAN);
    (0..=most).find(|choice| f64::from(*choice) == number).ok_or_else(|| {
        args.error(word, format_args!("'{}' is not {what}", word.text)).label(format!("expected {what}"))
    })
}

/// The name of a lattice, of an element by itself or of two.
fn lattice(args: &mut Args<'_>, single: bool) -> Result<Lattice> {
    let pairs = if single { &[][..] } else { &Lattice::OF_PAIRS[..] };
    args.one_of("lattice", &[&Lattice::OF_ELEMENTS[..], pairs].concat())
}
