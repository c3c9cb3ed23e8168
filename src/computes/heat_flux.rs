//! `compute heat/flux`: the heat flux of a group times its volume, from energies and stresses per atom: the whole
//! of it, then its convective part. Source: LAMMPS manual; J V = sum e v - sum S v.

use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::script::formula::{Kind, Reference};
use crate::session::Session;
use crate::session::compute::style::{Compute, Header};
use crate::session::compute::{PerAtom, Shape, Values, header};
use crate::session::snapshot::view::Snapshot;

struct HeatFlux {
    header: Header,
    /// The IDs of computes of the styles ke/atom, pe/atom and stress/atom or centroid/stress/atom.
    ids: [String; 3],
}

/// Takes the IDs of a ke/atom, a pe/atom and a stress/atom compute.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Compute>> {
    let mut ids = [const { String::new() }; 3];
    for (id, style) in ids.iter_mut().zip(["ke/atom", "pe/atom", "stress/atom"]) {
        let word = args.word(&format!("the ID of a compute of style {style}"))?;
        let compute = session.computes.get(&word.text);
        let compute = compute.ok_or_else(|| args.unknown(word, "compute", session.computes.ids()))?;
        let has = compute.header().style;
        if has.strip_prefix("centroid/").unwrap_or(has) != style {
            let message = format!("compute {} has the style {has}, not {style}", word.text);
            return Err(args.error(word, message));
        }
        id.clone_from(&word.text);
    }
    Ok(Box::new(HeatFlux { header, ids }))
}

fn wrong(id: &str) -> Error {
    Error::new(format!("compute {id} is another one now"))
}

impl Compute for HeatFlux {
    header!();

    fn shape(&self) -> Shape {
        Shape::vector(6)
    }

    fn inputs(&self) -> Vec<Reference> {
        let input = |id: &String| Reference { kind: Kind::Compute, id: id.clone(), index: Vec::new() };
        self.ids.iter().map(input).collect()
    }

    fn evaluate(&self, system: &Snapshot<'_>) -> Result<Values> {
        let [kinetic, potential, stress] = &self.ids;
        let column = |id: &str| match &system.evaluate(id)?.atoms {
            Some(PerAtom::Vector(values)) => Ok(values.clone()),
            _ => Err(wrong(id)),
        };
        let (kinetic, potential, all) = (column(kinetic)?, column(potential)?, system.evaluate(stress)?);
        let Some(PerAtom::Array(stress)) = &all.atoms else { return Err(wrong(stress)) };
        let [xx, yy, zz, xy, xz, yz, ..] = &stress[..] else { return Err(wrong(&self.ids[2])) };
        let velocities = &system.atoms()?.v;
        let (mut convective, mut virial) = ([0.0; 3], [0.0; 3]);
        for i in system.indices(self.header.group, None)? {
            let v = velocities[i];
            (0..3).for_each(|d| convective[d] += (kinetic[i] + potential[i]) * v[d]);
            virial[0] -= v[0] * xx[i] + v[1] * xy[i] + v[2] * xz[i];
            virial[1] -= v[0] * xy[i] + v[1] * yy[i] + v[2] * yz[i];
            virial[2] -= v[0] * xz[i] + v[1] * yz[i] + v[2] * zz[i];
        }
        // Stresses are in pressure times volume.
        let total = (0..3).map(|d| convective[d] + virial[d] / system.session.system.units.nktv2p);
        Ok(Values::vector(total.chain(convective).collect()))
    }

    fn vector_extensive(&self) -> bool {
        true
    }
}
