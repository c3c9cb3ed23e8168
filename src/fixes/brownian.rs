//! `fix ID GROUP brownian T SEED gamma_t GAMMA [rng uniform|gaussian|none]`: overdamped motion, dx = dt F / gamma + noise
//! (cl/fix/brownian.cl). Source: LAMMPS manual, `fix brownian`; D. L. Ermak, J. A. McCammon, J. Chem. Phys. 69 (1978) 1352.
//!
//! The noise of a step has the variance 2 k T dt / gamma along each axis, and depends on seed, atom ID and step alone. Velocities are
//! dx / dt.

use crate::base::error::Result;
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, Header, StepContext};

/// What the random numbers are for, as part of Philox's key.
const PURPOSE: u32 = 14;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Noise {
    None,
    Uniform,
    Normal,
}

struct Brownian {
    header: Header,
    temperature: f64,
    seed: u32,
    /// Force per velocity.
    gamma: f64,
    noise: Noise,
}

/// Takes the temperature, the seed, `gamma_t` and `rng`.
pub(crate) fn new(header: Header, _: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let temperature = args.not_negative("the temperature")?;
    let seed = crate::script::seed::mars(args)?;
    let (mut gamma, mut noise) = (None, Noise::Uniform);
    while let Some(word) = args.peek() {
        let known = [
            "gamma_t",
            "rng",
            "gamma_r",
            "gamma_r_eigen",
            "gamma_t_eigen",
            "dipole",
            "rotation_temp",
            "planar_rotation",
        ];
        match args.one_of("keyword of fix brownian", &known.map(|name| (name, name)))? {
            "gamma_t" => gamma = Some(args.positive("the friction, force per velocity")?),
            "rng" => {
                let kinds = [("uniform", Noise::Uniform), ("gaussian", Noise::Normal), ("none", Noise::None)];
                noise = args.one_of("kind of noise", &kinds)?;
            }
            _ => return Err(args.unsupported(word, "keyword")),
        }
    }
    match gamma {
        Some(gamma) => Ok(Box::new(Brownian { header, temperature, seed, gamma, noise })),
        None => {
            Err(args.error_here("the friction is missing").help("write `gamma_t` and a force per velocity"))
        }
    }
}

impl Fix for Brownian {
    fn header(&self) -> &Header {
        &self.header
    }

    fn ignores_wrapping(&self) -> bool {
        true
    }

    fn integrates(&self) -> bool {
        true
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for Brownian {
    fn hooks(&self) -> Option<DeviceHooks> {
        let hooks = DeviceHooks::of(kernel_file!("fix/brownian.cl"));
        Some(DeviceHooks { initial_integrate: Some("brownian"), ..hooks })
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let (dt, units) = (now.session.clock.dt, now.session.system.units);
        let width = (2.0 * units.boltz * self.temperature / (units.mvv2e * self.gamma * dt)).sqrt();
        // Uniform numbers between -1/2 and 1/2 have the variance 1/12.
        let (kind, width) = match self.noise {
            Noise::None => (0.0, 0.0),
            Noise::Uniform => (1.0, 12f64.sqrt() * width),
            Noise::Normal => (2.0, width),
        };
        let flat = f64::from(u8::from(now.session.system.dimension == 2));
        let [low, high, purpose] = [self.seed & 0xffff, self.seed >> 16, PURPOSE].map(f64::from);
        Ok(vec![dt, units.ftm2v / self.gamma, width, kind, low, high, purpose, flat])
    }
}
