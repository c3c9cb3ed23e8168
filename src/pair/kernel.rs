//! The pair kernel of a run: forces, and energy and virial when they are wanted (cl/pair.cl).

use crate::error::Result;
use crate::gpu::Kernel;
use crate::kernels::{Context, LIST, PAIR};
use crate::neighbor::list::List;
use crate::pair::Coefficients;
use crate::resident::{Floats, Resident};
use crate::timing::Section;

/// Both variants of the neighbour loop for one style and its coefficients.
pub struct PairKernel {
    force: Kernel,
    force_and_tally: Kernel,
    table: Floats,
    /// Per atom (energy, xx, yy, zz, xy, xz, yz, 0), as of the last step that wanted it.
    pub tally: Floats,
}

impl PairKernel {
    /// Builds the kernels for up to `n` atoms.
    ///
    /// # Errors
    /// When the device fails or lacks memory.
    pub fn new(context: &Context, coefficients: &Coefficients, n: usize) -> Result<Self> {
        let wide = context.numerics.wide_pairs();
        let mut defines = context.defines().set("COEFFICIENTS", coefficients.per_pair);
        if context.types == 1 {
            let names: Vec<String> = (0..coefficients.per_pair).map(|k| format!("C{k}")).collect();
            defines = context.set_real(defines, "CUTSQ", coefficients.table[0]);
            for (name, &value) in names.iter().zip(&coefficients.table[1..]) {
                defines = context.set_real(defines, name, value);
            }
            let constants: Vec<String> = names.iter().map(|name| format!("(realv)({name})")).collect();
            defines = defines.set("CONSTANTS", format!("{{{}}}", constants.join(", ")));
        }
        let build = |tally, name| {
            let styles = coefficients.files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
            let files: Vec<_> = std::iter::once(LIST).chain(styles).chain([PAIR]).collect();
            context.program_with(&files, &defines.clone().set("TALLY", tally))?.kernel(name)
        };
        Ok(PairKernel {
            force: build(0, "pair_force")?,
            force_and_tally: build(1, "pair_force_tally")?,
            table: Floats::from_values(&context.gpu, "pair coefficients", &coefficients.table, wide)?,
            tally: Floats::new(&context.gpu, "tallies", 8 * n, wide)?,
        })
    }

    /// Enqueues the forces on all local atoms, with tallies when wanted; the forces have the same bits
    /// either way.
    ///
    /// # Errors
    /// When the device fails.
    pub fn compute(&self, atoms: &Resident, list: &List, tally: bool) -> Result<()> {
        let shape = atoms.context.shape;
        let kernel = if tally { &self.force_and_tally } else { &self.force };
        for page in &list.pages {
            let n = page.n.min(atoms.n.saturating_sub(page.first));
            kernel.launch(
                Section::Pair,
                n * shape.lanes,
                shape.pair_local,
                &[
                    (&atoms.position).into(),
                    (&page.entries).into(),
                    (&list.neighbors).into(),
                    self.table.arg(),
                    atoms.force.arg(),
                    self.tally.arg(),
                    (&atoms.status).into(),
                    atoms.step.into(),
                    (page.first as u32).into(),
                    (n as u32).into(),
                    (list.rows as u32).into(),
                ],
            )?;
        }
        Ok(())
    }
}
