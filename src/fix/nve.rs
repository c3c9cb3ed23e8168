//! `fix ID GROUP nve`: velocity Verlet at constant energy (cl/integrate.cl).

use super::{Active, Fix, Header, Setup};
use crate::error::Result;
use crate::gpu::Kernel;
use crate::kernels::INTEGRATE;
use crate::neighbor::Neighbor;
use crate::resident::{Floats, Resident, accum, real};
use crate::script::Args;
use crate::timing::Section;

struct Nve(Header);

pub(super) fn new(header: Header, _args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    Ok(Box::new(Nve(header)))
}

impl Fix for Nve {
    fn header(&self) -> &Header {
        &self.0
    }

    fn style(&self) -> &'static str {
        "nve"
    }

    fn integrates(&self) -> bool {
        true
    }

    fn start(&self, setup: &Setup<'_>) -> Result<Box<dyn Active>> {
        let context = setup.context;
        let program = context.program(&[INTEGRATE])?;
        let kick: Vec<f64> = setup.mass.iter().map(|mass| 0.5 * setup.dt * setup.ftm2v / mass).collect();
        Ok(Box::new(ActiveNve {
            initial: program.kernel("nve_initial")?,
            turn: program.kernel("nve_turn")?,
            last: program.kernel("nve_final")?,
            kick: Floats::from_values(&context.gpu, "kick", &kick, context.numerics.wide())?,
            dt: setup.dt,
            group: self.0.group,
        }))
    }
}

struct ActiveNve {
    initial: Kernel,
    turn: Kernel,
    last: Kernel,
    kick: Floats,
    dt: f64,
    group: u32,
}

impl ActiveNve {
    /// `kernel` is `initial` or `turn`.
    fn launch_first(&self, kernel: &Kernel, atoms: &Resident, neighbor: &Neighbor, group: u32) -> Result<()> {
        let numerics = atoms.context.numerics;
        let (watched, trigger) = neighbor.watch(atoms.step);
        let columns = &atoms.columns;
        kernel.launch_each(
            Section::Modify,
            atoms.n,
            atoms.context.shape.local,
            &[
                (&columns.x).into(),
                columns.v.arg(),
                atoms.force.arg(),
                (&columns.kind).into(),
                (&columns.mask).into(),
                (&atoms.position).into(),
                (&atoms.built_at).into(),
                self.kick.arg(),
                (&atoms.status).into(),
                atoms.step.into(),
                accum(numerics, self.dt),
                real(numerics, trigger),
                group.into(),
                i32::from(watched).into(),
                (atoms.n as u32).into(),
            ],
        )
    }

    fn launch_final(&self, atoms: &Resident, group: u32) -> Result<()> {
        let columns = &atoms.columns;
        self.last.launch_each(
            Section::Modify,
            atoms.n,
            atoms.context.shape.local,
            &[
                columns.v.arg(),
                atoms.force.arg(),
                (&columns.kind).into(),
                (&columns.mask).into(),
                self.kick.arg(),
                (&atoms.status).into(),
                atoms.step.into(),
                group.into(),
                (atoms.n as u32).into(),
            ],
        )
    }
}

impl Active for ActiveNve {
    fn warm_up(&self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        let nobody = 0;
        self.launch_first(&self.initial, atoms, neighbor, nobody)?;
        self.launch_first(&self.turn, atoms, neighbor, nobody)?;
        self.launch_final(atoms, nobody)
    }

    fn initial_integrate(&mut self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.launch_first(&self.initial, atoms, neighbor, self.group)
    }

    fn turn(&mut self, atoms: &Resident, neighbor: &Neighbor) -> Result<()> {
        self.launch_first(&self.turn, atoms, neighbor, self.group)
    }

    fn final_integrate(&mut self, atoms: &Resident) -> Result<()> {
        self.launch_final(atoms, self.group)
    }
}
