//! `fix ID GROUP restrain bond|lbound ATOM ATOM KSTART KSTOP R0START [R0STOP] ...`: pairs of atoms are held at a distance, or beyond one
//! (cl/fix/restrain.cl): E = K (r - r0)^2. Source: LAMMPS manual, `fix restrain`.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{Shape, Values};
use crate::session::fix::{DeviceFix, Fix, FixOutput, FixSums, Header, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// Sums per pair: two positions and how many of its atoms are there.
const SUMS: usize = 7;

/// More pairs than this are not for a sum over all atoms each.
const MOST_PAIRS: usize = 16;

struct Pair {
    atoms: [u32; 2],
    /// Energy per squared distance, and distance, when the run begins and when it ends.
    k: [f64; 2],
    length: [f64; 2],
    /// Whether it is only held where it is shorter.
    lower: bool,
}

struct Restrain {
    header: Header,
    pairs: Vec<Pair>,
    measured: FixSums,
    /// `fix_modify energy`.
    counts: Cell<bool>,
}

/// Takes the pairs.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut pairs = Vec::new();
    while pairs.is_empty() || !args.is_empty() {
        let word = args.word("bond or lbound")?;
        let lower = match &*word.text {
            "bond" => false,
            "lbound" => true,
            "angle" | "dihedral" => return Err(args.unsupported(word, "restraint")),
            _ => return Err(args.unknown(word, "restraint", ["bond", "lbound"].into_iter())),
        };
        let atoms = [atom(session, args)?, atom(session, args)?];
        let k = [args.f64("K at the start")?, args.f64("K at the end")?];
        let first = args.f64("the distance at the start")?;
        let more = args.peek().is_some_and(|word| word.text.parse::<f64>().is_ok());
        let length = [first, if more { args.f64("the distance at the end")? } else { first }];
        pairs.push(Pair { atoms, k, length, lower });
        if pairs.len() > MOST_PAIRS {
            return Err(args
                .error(word, format_args!("one fix can hold at most {MOST_PAIRS} pairs"))
                .help("use several fixes"));
        }
    }
    let measured = FixSums::vector(0).with_own(SUMS * pairs.len() + 2);
    Ok(Box::new(Restrain { header, pairs, measured, counts: Cell::new(false) }))
}

/// Takes the ID of an atom.
fn atom(session: &Session, args: &mut Args<'_>) -> Result<u32> {
    let word = args.peek();
    let id = args.int::<u32>("an atom ID")?;
    match word.filter(|_| session.now().atoms().is_ok_and(|atoms| !atoms.tag.contains(&id))) {
        Some(word) => Err(args.error(word, format_args!("there is no atom {id}"))),
        None => Ok(id),
    }
}

/// What rises evenly, after a part of the way.
fn at([start, stop]: [f64; 2], part: f64) -> f64 {
    start + part * (stop - start)
}

impl Restrain {
    /// The energies of pairs that are held at a distance, and of those held beyond one.
    fn energies(&self) -> [f64; 2] {
        let sums = self.measured.own();
        [sums[sums.len() - 2], sums[sums.len() - 1]]
    }
}

impl Fix for Restrain {
    fn header(&self) -> &Header {
        &self.header
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        if keyword == "energy" {
            self.counts.set(args.yes_no()?);
        }
        Ok(keyword == "energy")
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for Restrain {
    fn hooks(&self) -> Option<DeviceHooks> {
        let of = DeviceHooks::of(kernel_file!("fix/restrain.cl"));
        Some(DeviceHooks {
            pre_force_sum: Some("add_ends"),
            post_force: Some("restrain"),
            everyone: true,
            ..of
        })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn varies(&self) -> bool {
        self.pairs.iter().any(|pair| pair.k[0] != pair.k[1] || pair.length[0] != pair.length[1])
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let part = now.fraction();
        let mut parameters = vec![self.pairs.len() as f64];
        for Pair { atoms, k, length, lower } in &self.pairs {
            let halves = atoms.map(|id| [id & 0xffff, id >> 16].map(f64::from));
            parameters.extend(halves.as_flattened());
            parameters.extend([at(*k, part), at(*length, part), f64::from(u8::from(*lower))]);
        }
        Ok(parameters)
    }
}

impl FixOutput for Restrain {
    fn shape(&self) -> Option<Shape> {
        Some(Shape { scalar: true, ..Shape::vector(3) })
    }

    /// The energy; that of pairs at a distance, of those beyond one, and of angles, of which there are none.
    fn values(&self, _system: &Snapshot<'_>) -> Result<Values> {
        let [bonds, lower] = self.energies();
        Ok(Values { scalar: Some(bonds + lower), vector: vec![bonds, lower, 0.0], ..Values::default() })
    }

    fn extensive(&self) -> bool {
        true
    }

    fn vector_extensive(&self) -> bool {
        true
    }

    fn potential_energy(&self, _system: &Snapshot<'_>) -> f64 {
        if self.counts.get() { self.energies().iter().sum() } else { 0.0 }
    }
}
