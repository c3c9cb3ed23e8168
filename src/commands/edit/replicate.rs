//! `replicate`. Source: LAMMPS manual.

use crate::base::error::Result;
use crate::model::atoms::Atoms;
use crate::model::domain;
use crate::model::domain::Domain;
use crate::model::topology::Bond;
use crate::script::Args;
use crate::session::Session;
use crate::session::sharing;
use std::collections::HashMap;
use std::time::Instant;

/// `replicate NX NY NZ [bbox] [bond/periodic]`: copies of box and atoms along each axis. The copy (i, j, k) of an atom has its
/// ID plus a multiple of the largest one, i fastest; so do molecule IDs, and bonds are among the atoms of a copy. Atoms go
/// to where they are without crossings of the box. With `bond/periodic` they go to where they are in the box, and bonds
/// across a face lead into the next copy.
///
/// # Errors
/// When there is no box, a number is not positive, or there would be too many IDs or no memory.
pub fn replicate(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    let start = Instant::now();
    session.domain()?;
    let mut counts = [1_u32; 3];
    for (axis, count) in counts.iter_mut().enumerate() {
        let word = args.peek();
        *count = u32::try_from(args.count("a number of copies", 1)?).unwrap_or(u32::MAX);
        if let (Some(word), 2, 2, true) = (word, axis, session.system.dimension, *count > 1) {
            return Err(args.error(word, "a 2d system cannot be replicated along z"));
        }
    }
    let [nx, ny, nz] = counts;
    let mut across = false;
    while !args.is_empty() {
        // `bbox` only says how LAMMPS looks for the atoms of a processor.
        across |= args.one_of("replicate keyword", &[("bbox", false), ("bond/periodic", true)])?;
    }
    let domain = session.domain()?.clone();
    if (0..3).any(|d| counts[d] > 1 && !domain.periodic(d)) {
        session.output.log.line("WARNING: Replicating in a non-periodic dimension");
    }
    let lengths = domain.lengths();
    let hi = std::array::from_fn(|d| domain.lo[d] + f64::from(counts[d]) * lengths[d]);
    let mut new = Domain { general: domain.general, ..Domain::new(domain.lo, hi, domain.boundary)? };
    if domain.triclinic {
        // Each edge becomes so many times as long.
        let [_, ny, nz] = counts.map(f64::from);
        let [xy, xz, yz] = domain.tilt;
        new = new.with_tilt([xy * ny, xz * nz, yz * nz])?;
        domain::warn_of_skew(&new, &mut session.output.log);
    }
    let mut old = session.atoms()?.clone();
    if across {
        domain.wrap_all(&mut old.x, &mut old.image);
        old.image.fill([0; 3]);
    }
    let steps = if across { steps_across(session, &domain, &old) } else { Vec::new() };
    let largest = u64::from(old.tag.iter().max().copied().unwrap_or(0));
    let copies = u64::from(nx) * u64::from(ny) * u64::from(nz);
    let molecules = u64::from(old.molecule.iter().max().copied().unwrap_or(0));
    if largest.max(molecules).saturating_mul(copies) > u64::from(u32::MAX) {
        return Err(args.error_here(format_args!("{copies} copies need more atom IDs than there are")));
    }
    let mut atoms = Atoms::default();
    let help = "check the numbers of copies";
    atoms.reserve(old.len() * copies as usize).map_err(|error| error.help(help))?;
    let (mut places, mut bonds) = (Vec::new(), Vec::new());
    for (i, j, k) in (0..nx).flat_map(|i| (0..ny).flat_map(move |j| (0..nz).map(move |k| (i, j, k)))) {
        let offset = (u64::from(k) * u64::from(ny) + u64::from(j)) * u64::from(nx) + u64::from(i);
        for a in 0..old.len() {
            let unwrapped = domain.unwrapped(old.x[a], old.image[a]);
            let mut x = domain.shifted(unwrapped, [i, j, k].map(f64::from));
            let mut image = [0; 3];
            new.wrap(&mut x, &mut image);
            atoms.x.push(x);
            atoms.image.push(image);
            atoms.v.push(old.v[a]);
            atoms.tag.push((u64::from(old.tag[a]) + offset * largest) as u32);
            atoms.kind.push(old.kind[a]);
            atoms.mask.push(old.mask[a]);
            let molecule = u64::from(old.molecule[a]);
            atoms.molecule.push((molecule + if molecule > 0 { offset * molecules } else { 0 }) as u32);
            atoms.charge.push(old.charge[a]);
        }
        if !old.custom.is_empty() {
            places.extend((0..old.len()).map(Some));
        }
        let copy = |tag: u32, offset: u64| (u64::from(tag) + offset * largest) as u32;
        bonds.extend(session.system.topology.bonds.iter().enumerate().map(|(b, bond)| {
            let [first, second] = bond.atoms;
            let step = steps.get(b).unwrap_or(&[0; 3]);
            let [i, j, k]: [u64; 3] = std::array::from_fn(|d| {
                let count = i64::from(counts[d]);
                (i64::from([i, j, k][d]) + step[d]).rem_euclid(count) as u64
            });
            let next = (k * u64::from(ny) + j) * u64::from(nx) + i;
            Bond { atoms: [copy(first, offset), copy(second, next)], ..*bond }
        }));
    }
    atoms.custom = old.custom.select(&places);
    let total = atoms.len();
    session
        .output
        .log
        .line(&format!("Replication is creating a {nx}x{ny}x{nz} = {copies} times larger system..."));
    session.output.log.line(&format!("  {}", new.describe()));
    session.output.log.line(&sharing::in_words());
    session.output.log.line(&format!("  {total} atoms"));
    if !bonds.is_empty() {
        session.output.log.line(&format!("  {} bonds", bonds.len()));
        session.system.topology.bonds = bonds;
        session.system.topology.describe_special(&mut session.output.log);
    }
    session.output.log.line(&format!("  replicate CPU = {:.3} seconds", start.elapsed().as_secs_f64()));
    *session.atoms_mut()? = atoms;
    session.system.domain = Some(new);
    Ok(())
}

/// Per bond by how many copies along each edge its second atom is away from its first one, in the nearest image.
fn steps_across(session: &Session, domain: &Domain, atoms: &Atoms) -> Vec<[i64; 3]> {
    let place: HashMap<u32, usize> = atoms.tag.iter().enumerate().map(|(i, &tag)| (tag, i)).collect();
    let edges = domain.edges();
    let step = |bond: &Bond| {
        let [Some(&i), Some(&j)] = bond.atoms.map(|tag| place.get(&tag)) else { return [0; 3] };
        let mut r: [f64; 3] = std::array::from_fn(|d| atoms.x[j][d] - atoms.x[i][d]);
        let mut step = [0; 3];
        for k in (0..3).rev().filter(|&k| domain.periodic(k)) {
            let count = (r[k] / edges[k][k]).round();
            (0..=k).for_each(|d| r[d] -= count * edges[k][d]);
            step[k] = -count as i64;
        }
        step
    };
    session.system.topology.bonds.iter().map(step).collect()
}
