//! `fix ID GROUP press/berendsen KEYWORD ...`: the box is scaled at each step so that the pressure relaxes to its
//! target. Berendsen, Postma, van Gunsteren, DiNola, Haak, J. Chem. Phys. 81, 3684 (1984). By the device where motion, pairs
//! and bonds make the pressure alone (cl/fix/press_berendsen.cl), else by the host.

use super::barostat::{self, Axes, Barometer};
use super::thermostat;
use crate::base::error::{Error, Result};
use crate::engine::step::coupling_functions::CouplingFunctions;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute;
use crate::session::compute::style::Compute;
use crate::session::fix::coupling::DeviceCoupling;
use crate::session::fix::{BoxChange, DeviceFix, Fix, FixContext, Header, HostFix, StepContext, Watched};
use std::cell::{Cell, RefCell};

struct PressBerendsen {
    header: Header,
    watched: Watched,
    axes: Axes,
    /// The bulk modulus that the damping time is meant for, in pressure units.
    modulus: f64,
    /// Whether all atoms follow the box, or only the group.
    all: bool,
    barometer: RefCell<Barometer>,
    /// Factor of positions, and the middle of the box, which stays.
    dilation: Cell<[[f64; 3]; 2]>,
    by_device: Cell<bool>,
    /// The pressure of the tail as [`RunProgress`](crate::engine::simulation::Course) has it, when the run began.
    tail: Cell<f64>,
}

pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let mut fix = PressBerendsen {
        watched: Watched {
            temperature: thermostat::own_temperature(&header),
            pressure: Some(format!("{}_press", header.id)),
        },
        header,
        axes: Axes::new(session.system.dimension),
        modulus: 10.0,
        all: true,
        barometer: RefCell::default(),
        dilation: Cell::new([[1.0; 3], [0.0; 3]]),
        by_device: Cell::new(false),
        tail: Cell::new(0.0),
    };
    while let Some(word) = args.peek() {
        args.word("a keyword")?;
        if fix.axes.keyword(word, args)? {
            continue;
        }
        match &*word.text {
            "modulus" => fix.modulus = args.positive("the bulk modulus")?,
            "dilate" => {
                fix.all = args.one_of("atoms that follow the box", &[("all", true), ("partial", false)])?;
            }
            _ => {
                let names = ["iso", "aniso", "x", "y", "z", "couple", "modulus", "dilate"];
                return Err(args.unknown(word, "keyword of fix press/berendsen", names.into_iter()));
            }
        }
    }
    if !fix.axes.any() {
        return Err(args.error_here("fix press/berendsen needs a pressure: iso, aniso, x, y or z"));
    }
    fix.axes.check(session, args)?;
    Ok(Box::new(fix))
}

impl Fix for PressBerendsen {
    fn header(&self) -> &Header {
        &self.header
    }

    fn computes(&self, session: &Session) -> Vec<Box<dyn Compute>> {
        let id = thermostat::own_temperature(&self.header);
        let barometer =
            compute::pressure(&format!("{}_press", self.header.id), &id, session.system.dimension);
        vec![thermostat::thermometer(&self.header, 1, session), barometer]
    }

    fn watched(&mut self) -> Option<&mut Watched> {
        Some(&mut self.watched)
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn box_change(&self) -> Option<&dyn BoxChange> {
        Some(self)
    }
}

impl DeviceFix for PressBerendsen {
    fn hooks(&self) -> Option<DeviceHooks> {
        if self.by_device.get() {
            let end = Some("berendsen_follow");
            return Some(DeviceHooks {
                end_with_host: end,
                ..DeviceHooks::of(kernel_file!("fix/press_berendsen.cl"))
            });
        }
        let end = Some("follow_box");
        Some(DeviceHooks {
            end_with_host: end,
            everyone: self.all,
            ..DeviceHooks::of(kernel_file!("fix/follow_box.cl"))
        })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        if self.by_device.get() {
            return Ok(self.device_parameters(now));
        }
        let [factor, middle] = self.dilation.get();
        Ok([factor, middle, middle].concat())
    }

    fn varies(&self) -> bool {
        self.by_device.get() && self.axes.vary()
    }

    fn coupling(&self) -> Option<&dyn DeviceCoupling> {
        Some(self)
    }
}

impl HostFix for PressBerendsen {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.tail.set(context.simulation.course.tail.1);
        context.simulation.allow_box_changes()
    }

    fn next(&self, step: i64) -> Option<i64> {
        (!self.by_device.get()).then_some(step + 1)
    }

    fn needs_tally(&self) -> bool {
        true
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        let mut barometer = self.barometer.borrow_mut();
        barometer.measure(context, self.watched.pressure.as_deref().unwrap_or_default())?;
        let found = self.axes.pressures(&barometer, context)?;
        let targets = self.axes.targets(context.moment().fraction());
        let mut factors = [None; 3];
        for d in 0..3 {
            let Some(axis) = self.axes.controlled[d] else { continue };
            let volume =
                1.0 - context.session.clock.dt() / axis.period * (targets[d] - found[d]) / self.modulus;
            if volume <= 0.0 {
                return Err(collapse());
            }
            factors[d] = Some(volume.cbrt());
        }
        let ([lo, hi], dilation) = barostat::grown(&context.simulation.domain, factors);
        self.dilation.set(dilation);
        context.simulation.set_box(lo, hi)
    }
}

impl BoxChange for PressBerendsen {
    fn changes_box(&self) -> bool {
        true
    }
}

impl PressBerendsen {
    /// The numbers of cl/fix/press_berendsen.cl at a step.
    fn device_parameters(&self, now: &StepContext<'_>) -> Vec<f64> {
        let session = now.session;
        let mut numbers = self.axes.device_parameters(session, self.tail.get()).to_vec();
        let rate = |axis: barostat::Axis| session.clock.dt() / (axis.period * self.modulus);
        numbers.extend(self.axes.controlled.map(|axis| axis.map_or(0.0, rate)));
        numbers.extend(self.axes.targets(now.fraction()));
        // The masses count from type 1, behind the last number.
        numbers.extend(now.mass().map(|mass| mass * session.system.units.mvv2e));
        numbers
    }
}

impl DeviceCoupling for PressBerendsen {
    fn fits(&self, session: &Session) -> bool {
        let Watched { temperature, pressure } = &self.watched;
        self.header.group == 1
            && thermostat::fits_device(session, &self.header, temperature)
            && thermostat::temperature(session, temperature).is_ok_and(|t| t.components() == Some([true; 3]))
            && pressure
                .as_ref()
                .is_some_and(|id| barostat::fits_device(session, &self.header, [id, temperature], [true; 3]))
    }

    fn hand_over(&self, to_device: bool) {
        self.by_device.set(to_device);
    }

    fn handed_over(&self) -> bool {
        self.by_device.get()
    }

    fn functions(&self) -> CouplingFunctions {
        CouplingFunctions {
            sums: 6,
            measure: "berendsen_measure",
            after: "berendsen_after",
            before: None,
            moves_box: true,
            slot: None,
        }
    }

    /// The factors of positions, the point that stays, and whether the box would collapse.
    fn numbers(&self) -> Vec<f64> {
        [&self.dilation.get().concat()[..], &[0.0]].concat()
    }

    fn take(&self, numbers: &[f64], _: &FixContext<'_>) -> Result<()> {
        let three = |first: usize| -> [f64; 3] { std::array::from_fn(|d| numbers[first + d]) };
        self.dilation.set([three(0), three(3)]);
        if numbers[6] == 0.0 { Ok(()) } else { Err(collapse()) }
    }
}

fn collapse() -> Error {
    Error::new("the pressure is so far from its target that the box collapses")
        .help("take a larger modulus or a longer damping time")
}
