//! `fix wall/region`: the surface of a region as a wall (cl/fix/wall.cl). Source: LAMMPS manual, `fix wall/region`.

use super::wall::{self, Potential};
use crate::base::error::{Error, Result};
use crate::engine::step::hooks::DeviceHooks;
use crate::gpu::source::kernel_file;
use crate::model::region;
use crate::script::Args;
use crate::session::Session;
use crate::session::fix::{DeviceFix, Fix, FixSums, Header, StepContext};

struct WallRegion {
    header: Header,
    region: String,
    /// Whether that moves.
    moves: bool,
    /// None for `colloid`.
    potential: Option<Potential>,
    /// epsilon, alpha, sigma.
    strength: [f64; 3],
    cutoff: f64,
    measured: FixSums,
}

/// Takes `REGION STYLE EPSILON SIGMA CUTOFF`, for morse `D0 ALPHA R0 CUTOFF`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let word = args.clone().word("a region")?;
    let region = session.system.regions.moving_arg(args)?;
    let moves = region.moves();
    if region.surface().is_none() {
        let message = format!("the surface of the region {} cannot be a wall", word.text);
        return Err(args.error(word, message).help(format!("take {}", region::WALLS)));
    }
    let styles = [
        ("lj93", Some(Potential::Lj93)),
        ("lj126", Some(Potential::Lj126)),
        ("lj1043", Some(Potential::Lj1043)),
        ("harmonic", Some(Potential::Harmonic)),
        ("morse", Some(Potential::Morse)),
        ("colloid", None),
    ];
    let style = args.peek();
    let potential = args.one_of("potential of the wall", &styles)?;
    if potential.is_none() {
        wall::need_spheres(session, args, style)?;
    }
    let epsilon = args.f64("the strength of the wall")?;
    let alpha = if potential == Some(Potential::Morse) { args.f64("the exponent alpha")? } else { 0.0 };
    let sigma = args.f64("the size parameter of the wall")?;
    let cutoff = args.positive("the cutoff of the wall")?;
    let measured = FixSums::energy(3).with_virial().with_own(1);
    let strength = [epsilon, alpha, sigma];
    let region = word.text.clone();
    Ok(Box::new(WallRegion { header, region, moves, potential, strength, cutoff, measured }))
}

impl Fix for WallRegion {
    fn header(&self) -> &Header {
        &self.header
    }

    fn device(&self) -> Option<&dyn DeviceFix> {
        Some(self)
    }
}

impl DeviceFix for WallRegion {
    fn hooks(&self) -> Option<DeviceHooks> {
        let force = match self.potential {
            Some(Potential::Lj93) => "wall_region_lj93",
            Some(Potential::Lj126) => "wall_region_lj126",
            Some(Potential::Lj1043) => "wall_region_lj1043",
            Some(Potential::Harmonic) => "wall_region_harmonic",
            Some(Potential::Morse) => "wall_region_morse",
            None => "wall_region_colloid",
        };
        Some(DeviceHooks { post_force: Some(force), ..DeviceHooks::of(kernel_file!("fix/wall.cl")) })
    }

    fn measured(&self) -> Option<&FixSums> {
        Some(&self.measured)
    }

    fn check_measured(&self) -> Result<()> {
        let outside = self.measured.own()[0];
        if outside == 0.0 {
            return Ok(());
        }
        let touching = if self.potential.is_none() { ", or touch it" } else { "" };
        Err(Error::new(format!("{outside} atoms are on the surface of the region or beyond it{touching}"))
            .help("make the region larger, the wall stronger, or take a shorter timestep"))
    }

    fn parameters(&self, now: &StepContext<'_>) -> Result<Vec<f64>> {
        let gone = || Error::new(format!("its region {} is gone", self.region));
        let region = now.placed(now.session.system.regions.get(&self.region).ok_or_else(gone)?)?;
        let surface = region.surface().ok_or_else(gone)?;
        let head = [surface.shapes.len() as f64, f64::from(surface.every), self.cutoff];
        let (coefficients, of_types) = match self.potential {
            Some(potential) => (potential.coefficients(self.strength, self.cutoff), Vec::new()),
            None => {
                let [epsilon, _, sigma] = self.strength;
                let mut coefficients = [0.0; wall::COEFFICIENTS];
                coefficients[..2].copy_from_slice(&wall::of_spheres(epsilon, sigma));
                (coefficients, wall::by_radius(now.session, epsilon, sigma, self.cutoff))
            }
        };
        let shapes = surface.shapes.into_iter().flatten();
        Ok(head.into_iter().chain(coefficients).chain(shapes).chain(of_types).collect())
    }

    fn varies(&self) -> bool {
        self.moves
    }
}
