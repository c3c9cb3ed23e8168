//! `fix gravity`: a force in proportion to the mass (cl/fix/gravity.cl). Source: LAMMPS manual, `fix gravity`.

use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixOutput, FixSums, Header, Quantity, StepContext};

/// Which way it pulls; angles in degrees.
enum Direction {
    /// Polar angle from -z, in the plane of x and z.
    Chute(Quantity),
    /// Azimuth and polar angle from z.
    Spherical(Quantity, Quantity),
    Vector([Quantity; 3]),
}

struct Gravity {
    header: Header,
    strength: Quantity,
    direction: Direction,
    /// Only the energy is asked for.
    disable: bool,
    measured: FixSums,
}

/// Takes `STRENGTH chute A`, `spherical PHI THETA` or `vector X Y Z`, and `disable`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let strength = Quantity::read(session, args, "the acceleration", 1.0)?;
    let read = |args: &mut Args<'_>, what: &str| Quantity::read(session, args, what, 1.0);
    let direction = match args.one_of("direction", &[("chute", 0), ("spherical", 1), ("vector", 2)])? {
        0 => Direction::Chute(read(args, "an angle")?),
        1 => Direction::Spherical(read(args, "the angle phi")?, read(args, "the angle theta")?),
        _ => {
            let what = "a component of the direction";
            let place = args.peek();
            let vector = [read(args, what)?, read(args, what)?, read(args, what)?];
            if let Some(word) = place.filter(|_| vector.iter().all(|v| *v == Quantity::Number(0.0))) {
                return Err(args.error(word, "the direction has no length"));
            }
            Direction::Vector(vector)
        }
    };
    let disable = args.accept("disable");
    Ok(Box::new(Gravity { header, strength, direction, disable, measured: FixSums::energy(0) }))
}

impl Gravity {
    /// The acceleration.
    fn pull(&self, now: &StepContext<'_>) -> Result<[f64; 3]> {
        let flat = now.session.system.dimension == 2;
        let angle = |quantity| now.value(quantity).map(f64::to_radians);
        let from_angles = |phi: f64, theta: f64| match flat {
            true => [theta.sin(), theta.cos(), 0.0],
            false => [theta.sin() * phi.cos(), theta.sin() * phi.sin(), theta.cos()],
        };
        let way = match &self.direction {
            Direction::Chute(vertical) => from_angles(0.0, std::f64::consts::PI - angle(vertical)?),
            Direction::Spherical(phi, theta) => from_angles(angle(phi)?, angle(theta)?),
            Direction::Vector([x, y, z]) => {
                let way = [now.value(x)?, now.value(y)?, if flat { 0.0 } else { now.value(z)? }];
                let length = way.iter().map(|x| x * x).sum::<f64>().sqrt();
                if length == 0.0 {
                    return Err(Error::new("the direction of gravity has no length"));
                }
                way.map(|x| x / length)
            }
        };
        let strength = now.value(&self.strength)?;
        Ok(way.map(|x| strength * x))
    }
}

impl Fix for Gravity {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        !self.varies()
    }

    fn minimizes(&self) -> bool {
        false
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }
}

impl DeviceFix for Gravity {
    fn hooks(&self) -> Option<DeviceHooks> {
        let force = (!self.disable).then_some("gravity");
        Some(DeviceHooks { post_force: force, ..DeviceHooks::of(kernel_file!("fix/gravity.cl")) })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        // While a run is set up, variables may be 0 still.
        let pull = self.pull(now).or_else(|error| if now.is_draft() { Ok([0.0; 3]) } else { Err(error) })?;
        Ok(pull.into_iter().chain(now.mass()).collect())
    }

    fn varies(&self) -> bool {
        let direction = match &self.direction {
            Direction::Chute(a) => a.varies(),
            Direction::Spherical(a, b) => a.varies() || b.varies(),
            Direction::Vector(vector) => vector.iter().any(Quantity::varies),
        };
        direction || self.strength.varies()
    }
}

impl FixOutput for Gravity {
    fn acceleration(&self, now: &StepContext<'_>) -> Result<Option<[f64; 3]>> {
        self.pull(now).map(Some)
    }
}
