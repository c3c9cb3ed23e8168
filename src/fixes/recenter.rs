//! `fix recenter`: keeps a group's centre of mass at its place (cl/fix/recenter.cl). Source: LAMMPS manual,
//! `fix recenter`. Atoms are shifted when positions have moved, before lists and forces follow.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::lattice;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::Values;
use crate::session::fix::{DeviceFix, Fix, FixContext, FixOutput, Header, HostFix, StepContext};
use crate::session::snapshot::view::Snapshot;
use std::cell::Cell;

/// Where a coordinate of the centre is kept.
#[derive(Clone, Copy)]
enum Target {
    Free,
    /// Where it was when the run began.
    Initial,
    At(f64),
    /// As a part of the box.
    Fraction(f64),
}

struct Recenter {
    header: Header,
    target: [Target; 3],
    /// The group that is shifted, as a mask.
    shifted: u32,
    initial: Cell<[f64; 3]>,
    shift: Cell<[f64; 3]>,
}

/// Takes `X Y Z` (numbers, INIT or NULL), `shift GROUP`, `units box`, `lattice` or `fraction`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut target = [Target::Free; 3];
    for target in &mut target {
        *target = match () {
            () if args.accept("NULL") => Target::Free,
            () if args.accept("INIT") => Target::Initial,
            () => Target::At(args.f64("a coordinate (a number, INIT or NULL)")?),
        };
    }
    let (mut shifted, mut scale) = (header.group, Some(lattice::spacing(session.system.lattice.as_ref())));
    while !args.is_empty() {
        if args.one_of("fix recenter keyword", &[("shift", true), ("units", false)])? {
            shifted = session.system.groups.arg(args)?;
        } else {
            let lattice = Some(lattice::spacing(session.system.lattice.as_ref()));
            let units = [("box", Some([1.0; 3])), ("lattice", lattice), ("fraction", None)];
            scale = args.one_of("units", &units)?;
        }
    }
    for (d, target) in target.iter_mut().enumerate() {
        if let Target::At(x) = *target {
            *target = scale.map_or(Target::Fraction(x), |scale| Target::At(scale[d] * x));
        }
    }
    let [initial, shift] = [(); 2].map(|()| Cell::new([0.0; 3]));
    Ok(Box::new(Recenter { header, target, shifted, initial, shift }))
}

impl Fix for Recenter {
    fn header(&self) -> &Header {
        &self.header
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for Recenter {
    fn groups(&self) -> u32 {
        self.header.group | self.shifted
    }

    fn hooks(&self) -> Option<DeviceHooks> {
        let hooks = DeviceHooks::of(kernel_file!("fix/recenter.cl"));
        Some(DeviceHooks { end_with_host: Some("recenter"), ..hooks })
    }

    fn parameters(&self, _: &StepContext<'_>) -> Result<Vec<f64>> {
        Ok([f64::from(self.shifted)].into_iter().chain(self.shift.get()).collect())
    }
}

impl HostFix for Recenter {
    fn next(&self, step: i64) -> Option<i64> {
        Some(step + 1)
    }

    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        context.check_members(&self.header)?;
        self.initial.set(context.system().of_group(self.header.group, None).centre()?);
        Ok(())
    }

    fn shifts_atoms(&self) -> bool {
        true
    }

    fn positions_moved(&self, context: &mut FixContext<'_>) -> Result<()> {
        let centre = context.system().of_group(self.header.group, None).centre()?;
        let domain = &context.simulation.domain;
        let fractions = domain.at_fractions(self.target.map(|target| match target {
            Target::Fraction(part) => part,
            _ => 0.5,
        }));
        self.shift.set(std::array::from_fn(|d| {
            let centre = centre[d];
            match self.target[d] {
                Target::Free => 0.0,
                Target::Initial => self.initial.get()[d] - centre,
                Target::At(x) => x - centre,
                Target::Fraction(_) => fractions[d] - centre,
            }
        }));
        Ok(())
    }
}

impl FixOutput for Recenter {
    fn extensive(&self) -> bool {
        true
    }

    fn vector_extensive(&self) -> bool {
        true
    }

    fn values(&self, _: &Snapshot<'_>) -> Result<Values> {
        let shift = self.shift.get();
        let distance = shift.iter().map(|x| x * x).sum::<f64>().sqrt();
        Ok(Values { scalar: Some(distance), vector: shift.to_vec(), ..Values::default() })
    }
}
