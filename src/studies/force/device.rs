//! Variants on the device: evaluated, checked, timed.

use std::borrow::Cow;
use std::time::Instant;

use serde::Serialize;

use super::host::{Real, Reference};
use super::liquid::List;
use super::variant::Variant;
use crate::base::error::Result;
use crate::engine::roofline::group;
use crate::gpu::record::Section;
use crate::gpu::{Buffer, Gpu, Kernel};

/// How far forces are from those of the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Largest error of a component, in units of what rounding may do to it: above 1 is wrong.
    pub worst: f64,
    /// The atom with it.
    pub atom: usize,
    /// Root mean square of the errors, relative to that of the forces.
    pub rms: f64,
}

impl Accuracy {
    /// Of forces (x, y, z, unused); NaN is infinitely wrong.
    pub fn of<T: Real>(found: &[[T; 4]], reference: &Reference) -> Accuracy {
        let (mut worst, mut atom, mut errors, mut squares) = (0.0, 0, 0.0, 0.0);
        for (i, expected) in reference.force.iter().enumerate() {
            for c in 0..3 {
                let error = (found[i][c].to_f64() - expected[c]).abs();
                errors += error * error;
                squares += expected[c] * expected[c];
                let share = if error == 0.0 { 0.0 } else { error / reference.bound[i] };
                let share = if share.is_nan() { f64::INFINITY } else { share };
                if share > worst {
                    (worst, atom) = (share, i);
                }
            }
        }
        let rms = if errors == 0.0 { 0.0 } else { (errors / squares).sqrt() };
        Accuracy { worst, atom, rms }
    }

    /// Why these forces are wrong; `None` when they are right.
    pub fn fault(&self) -> Option<String> {
        (self.worst > 1.0).then(|| {
            format!(
                "wrong forces: that on atom {} is off by {:.3e} times what rounding explains",
                self.atom, self.worst
            )
        })
    }
}

/// What a number of evaluations took.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Timing {
    /// Evaluations that were timed.
    pub repetitions: usize,
    /// Mean wall seconds of one, in the fastest batch.
    pub evaluation: f64,
    /// Wall seconds of bringing positions and list to the device.
    pub upload: f64,
    /// Wall seconds of bringing the forces back.
    pub download: f64,
}

/// One liquid on the device.
pub struct Stage<'a, T> {
    gpu: &'a Gpu,
    x: &'a [[T; 4]],
    full: &'a List,
    half: &'a List,
    position: Buffer<[T; 4]>,
    force: Buffer<[T; 4]>,
    loaded: Option<Loaded<'a>>,
}

/// A list on the device, with what it was made of.
struct Loaded<'a> {
    third_law: bool,
    /// Lanes of a transposed list.
    transposed: Option<usize>,
    source: &'a List,
    entries: Cow<'a, [u32]>,
    list: Buffer<u32>,
    begin: Buffer<u32>,
    neighbors: Buffer<u32>,
}

impl<'a, T: Real> Stage<'a, T> {
    /// For positions (x, y, z, 0) with the dummy at the end, and their lists.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &'a Gpu, x: &'a [[T; 4]], full: &'a List, half: &'a List) -> Result<Self> {
        let position = gpu.buffer("positions", x.len())?;
        let force = gpu.buffer("forces", x.len())?;
        Ok(Stage { gpu, x, full, half, position, force, loaded: None })
    }

    fn load(&mut self, variant: &Variant) -> Result<()> {
        let third_law = variant.third_law.is_some();
        let transposed = variant.transposed.then_some(variant.lanes);
        let is_there = |loaded: &Loaded<'_>| (loaded.third_law, loaded.transposed) == (third_law, transposed);
        if self.loaded.as_ref().is_some_and(is_there) {
            return Ok(());
        }
        // Frees the old one's memory first.
        self.loaded = None;
        let source = if third_law { self.half } else { self.full };
        let entries = match transposed {
            Some(lanes) => Cow::Owned(source.transposed(lanes)),
            None => Cow::Borrowed(&*source.entries),
        };
        let loaded = Loaded {
            third_law,
            transposed,
            source,
            list: self.gpu.buffer("list", entries.len())?,
            begin: self.gpu.buffer("begin of each row", source.begin.len())?,
            neighbors: self.gpu.buffer("neighbours", source.neighbors.len())?,
            entries,
        };
        self.upload(&loaded)?;
        self.loaded = Some(loaded);
        Ok(())
    }

    fn upload(&self, loaded: &Loaded<'_>) -> Result<()> {
        self.position.write(Section::Comm, 0, self.x)?;
        loaded.neighbors.write(Section::Comm, 0, &loaded.source.neighbors)?;
        loaded.begin.write(Section::Comm, 0, &loaded.source.begin)?;
        loaded.list.write(Section::Comm, 0, &loaded.entries)
    }

    fn evaluate(&self, variant: &Variant, kernel: &Kernel, loaded: &Loaded<'_>) -> Result<()> {
        let atoms = loaded.source.atoms();
        if variant.third_law.is_some() {
            self.force.clear(Section::Pair, 0..self.force.len())?;
        }
        let args = [
            (&self.position).into(),
            (&loaded.begin).into(),
            (&loaded.neighbors).into(),
            (&loaded.list).into(),
            (&self.force).into(),
            (atoms as u32).into(),
        ];
        kernel.launch(Section::Pair, atoms * variant.work_items(), group(self.gpu.info()), &args)
    }

    /// Evaluates the forces once and compares them; if they are right, times up to `repetitions` evaluations,
    /// fewer when they would take longer than `seconds`.
    ///
    /// # Errors
    /// A variant that does not build or run on this device.
    pub fn trial(
        &mut self,
        variant: &Variant,
        reference: &Reference,
        repetitions: usize,
        seconds: f64,
    ) -> Result<(Accuracy, Option<Timing>)> {
        let kernel = variant.program(self.gpu, T::PRECISION)?.kernel("lj_force")?;
        self.load(variant)?;
        let loaded = self.loaded.as_ref().expect("was loaded just now");
        // What the last variant left must not pass for this one's.
        self.force.write(Section::Comm, 0, &vec![[T::from_f64(f64::NAN); 4]; self.force.len()])?;
        self.evaluate(variant, &kernel, loaded)?;
        let accuracy =
            self.force.view(Section::Comm, 0..self.force.len(), |found| Accuracy::of(found, reference))?;
        if accuracy.fault().is_some() {
            return Ok((accuracy, None));
        }
        let mut forces = vec![[T::zeroed(); 4]; self.force.len()];
        let started = Instant::now();
        self.upload(loaded)?;
        self.gpu.finish()?;
        let upload = started.elapsed().as_secs_f64();
        let (repetitions, evaluation) = timed(repetitions, seconds, |count| {
            (0..count).try_for_each(|_| self.evaluate(variant, &kernel, loaded))?;
            self.gpu.finish()
        })?;
        let started = Instant::now();
        self.force.view(Section::Comm, 0..forces.len(), |found| forces.copy_from_slice(found))?;
        let download = started.elapsed().as_secs_f64();
        Ok((accuracy, Some(Timing { repetitions, evaluation, upload, download })))
    }
}

/// Seconds that a batch of repetitions takes at least, unless it has them all.
const BATCH: f64 = 0.005;

/// Does something `repetitions` times, or as often as fits into about `seconds`; `batch` does it so many times and
/// waits for the end. Returns how often it was timed, and the mean seconds of one in the fastest batch: what slows
/// the others down is not the variant.
///
/// # Errors
/// Those of `batch`.
pub fn timed(
    repetitions: usize,
    seconds: f64,
    mut batch: impl FnMut(usize) -> Result<()>,
) -> Result<(usize, f64)> {
    let begun = Instant::now();
    batch(1)?;
    let once = begun.elapsed().as_secs_f64().max(1e-9);
    let affordable = ((seconds / once) as usize).clamp(1, repetitions);
    let size = (BATCH / once).ceil() as usize;
    let (mut done, mut best) = (0, f64::INFINITY);
    while done < affordable {
        let count = size.clamp(1, affordable - done);
        let started = Instant::now();
        batch(count)?;
        best = best.min(started.elapsed().as_secs_f64() / count as f64);
        done += count;
    }
    Ok((done, best))
}
