//! `lattice`.

use crate::base::error::Result;
use crate::base::format::g;
use crate::base::vector::{cross, dot};
use crate::model::domain::Rotation;
use crate::model::lattice::Lattice;
use crate::script::{Args, Word};
use crate::session::Session;

const KEYWORDS: [&str; 8] = ["origin", "orient", "spacing", "a1", "a2", "a3", "basis", "triclinic/general"];

/// `lattice STYLE SCALE keyword values ...`: prints the spacing per axis.
///
/// The scale is a reduced density in `lj` units, else the lattice constant.
///
/// # Errors
/// When an argument is out of its range or does not go with the style or the dimension.
pub fn lattice(session: &mut Session, args: &mut Args) -> Result<()> {
    let name = args.clone().word("a lattice style")?;
    let style = args.one_of("lattice style", &STYLES)?;
    if style.dimension != 0 && style.dimension != session.system.dimension {
        let message = format!(
            "'{}' is a lattice in {}d, the system is {}d",
            name.text, style.dimension, session.system.dimension
        );
        return Err(args.error(name, message));
    }
    let scale = args.positive("a lattice scale")?;
    let mut lattice = Lattice {
        spacing: [0.0; 3],
        basis: style.basis.to_vec(),
        general: false,
        vectors: std::array::from_fn(|k| std::array::from_fn(|d| if d == k { style.edges[k] } else { 0.0 })),
        scale,
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        origin: [0.0; 3],
    };
    if name.text == "none" {
        args.finish()?;
        lattice.spacing = [scale; 3];
        session.system.lattice = Some(lattice);
        return Ok(());
    }
    let factors = keywords(&mut lattice, args, name)?;
    check(&lattice, session.system.dimension).map_err(|message| args.error(name, message))?;

    let [a, b, c] = lattice.vectors;
    if session.system.units.name == "lj" {
        let density = scale;
        let cell = dot(cross(a, b), c).abs();
        lattice.scale =
            (lattice.basis.len() as f64 / cell / density).powf(1.0 / f64::from(session.system.dimension));
    }
    for axis in &mut lattice.axes {
        let length = dot(*axis, *axis).sqrt();
        *axis = axis.map(|x| x / length);
    }
    lattice.spacing = match factors {
        Some(factors) => factors.map(|factor| factor * lattice.scale),
        None if lattice.general => {
            let rotation = Rotation::of(lattice.vectors).map_err(|message| args.error(name, message))?;
            let vectors = lattice.vectors.map(|vector| rotation.to_restricted(vector));
            Lattice { vectors, ..lattice.clone() }.bounding_box()
        }
        None => lattice.bounding_box(),
    };
    let [x, y, z] = lattice.spacing.map(|d| g(d, 8));
    session.output.log.line(&format!("Lattice spacing in x,y,z = {x} {y} {z}"));
    session.system.lattice = Some(lattice);
    Ok(())
}

/// Reads the keywords; returns the values of `spacing`, if given.
fn keywords(lattice: &mut Lattice, args: &mut Args, style: &Word) -> Result<Option<[f64; 3]>> {
    let mut factors = None;
    while let Some(word) = args.peek() {
        let known = args.one_of("lattice keyword", &KEYWORDS.map(|keyword| (keyword, keyword)))?;
        if !matches!(known, "origin" | "orient" | "spacing") && style.text != "custom" {
            return Err(args.error(word, format_args!("'{known}' is for lattice style custom only")));
        }
        let vector = "a component of a primitive vector";
        match known {
            "origin" => lattice.origin = triple(args, "a fraction of the spacing in [0, 1)", in_cell)?,
            "spacing" => factors = Some(triple(args, "a spacing greater than 0", |x| x > 0.0)?),
            "a1" => lattice.vectors[0] = triple(args, vector, |_| true)?,
            "a2" => lattice.vectors[1] = triple(args, vector, |_| true)?,
            "a3" => lattice.vectors[2] = triple(args, vector, |_| true)?,
            "basis" => {
                lattice.basis.push(triple(args, "a fraction of a primitive vector in [0, 1)", in_cell)?);
            }
            "triclinic/general" => lattice.general = true,
            _ => {
                let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
                for component in &mut lattice.axes[axis] {
                    *component = f64::from(args.int::<i32>("a component of the orient vector")?);
                }
            }
        }
    }
    Ok(factors)
}

fn in_cell(x: f64) -> bool {
    (0.0..1.0).contains(&x)
}

fn triple(args: &mut Args, what: &str, valid: impl Fn(f64) -> bool) -> Result<[f64; 3]> {
    let mut values = [0.0; 3];
    for value in &mut values {
        let word = args.peek();
        *value = args.f64(what)?;
        if let Some(word) = word.filter(|_| !valid(*value)) {
            return Err(args.error(word, format_args!("'{}' is not {what}", word.text)));
        }
    }
    Ok(values)
}

/// Whether vectors, orientation and basis make a lattice of this dimension; else says why not.
fn check(lattice: &Lattice, dimension: u32) -> Result<(), &'static str> {
    let [a, b, c] = lattice.vectors;
    let [x, y, z] = lattice.axes;
    if lattice.basis.is_empty() {
        return Err("no basis atoms: style custom needs the keyword basis");
    }
    if dot(cross(a, b), c) == 0.0 {
        return Err("a1, a2 and a3 span no volume");
    }
    if dot(x, y) != 0.0 || dot(x, z) != 0.0 || dot(y, z) != 0.0 {
        return Err("the orient vectors are not orthogonal");
    }
    if dot(cross(x, y), z) <= 0.0 {
        return Err("the orient vectors must be right-handed and none of them zero");
    }
    let flat = a[2] == 0.0 && b[2] == 0.0 && c[..2] == [0.0; 2] && lattice.origin[2] == 0.0;
    let level = x[2] == 0.0 && y[2] == 0.0 && z[..2] == [0.0; 2];
    if dimension == 2 && !(flat && level && lattice.basis.iter().all(|atom| atom[2] == 0.0)) {
        return Err("vectors, orientation, origin or basis leave the plane of the 2d system");
    }
    if lattice.general {
        let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        if lattice.origin != [0.0; 3] || lattice.axes != identity {
            return Err(
                "a lattice with triclinic/general has neither an origin nor an orientation of its own",
            );
        }
        Rotation::of(lattice.vectors)?;
        if dimension == 2 && c != identity[2] {
            return Err("in 2d, a lattice with triclinic/general has a3 = 0 0 1");
        }
    }
    Ok(())
}

/// A style: its dimension (0: any), the lengths of its orthogonal primitive vectors, its basis.
#[derive(Clone, Copy)]
struct Style {
    pub(crate) dimension: u32,
    pub(crate) edges: [f64; 3],
    pub(crate) basis: &'static [[f64; 3]],
}

/// sqrt(3): written out, for `f64::sqrt` is not const.
const SQRT_3: f64 = 1.732_050_807_568_877_2;

/// sqrt(8/3).
const SQRT_8_3: f64 = 1.632_993_161_855_452;

const H: f64 = 0.5;

const Q: f64 = 0.25;

const R: f64 = 0.75;

const SC: [[f64; 3]; 1] = [[0.0; 3]];

const BCC: [[f64; 3]; 2] = [[0.0; 3], [H; 3]];

const FCC: [[f64; 3]; 4] = [[0.0; 3], [H, H, 0.0], [H, 0.0, H], [0.0, H, H]];

const HCP: [[f64; 3]; 4] = [[0.0; 3], [H, H, 0.0], [H, 5.0 / 6.0, H], [0.0, 1.0 / 3.0, H]];

#[rustfmt::skip]
const DIAMOND: [[f64; 3]; 8] = [
    [0.0; 3], [0.0, H, H], [H, 0.0, H], [H, H, 0.0], [Q, Q, Q], [Q, R, R], [R, Q, R], [R, R, Q],
];

const CENTRED: [[f64; 3]; 2] = [[0.0; 3], [H, H, 0.0]];

const CUBE: [f64; 3] = [1.0; 3];

/// The styles by name; `none` and `custom` bring no basis of their own.
#[rustfmt::skip]
const STYLES: [(&str, Style); 10] = [
    ("none", Style { dimension: 0, edges: CUBE, basis: &[] }),
    ("sc", Style { dimension: 3, edges: CUBE, basis: &SC }),
    ("bcc", Style { dimension: 3, edges: CUBE, basis: &BCC }),
    ("fcc", Style { dimension: 3, edges: CUBE, basis: &FCC }),
    ("hcp", Style { dimension: 3, edges: [1.0, SQRT_3, SQRT_8_3], basis: &HCP }),
    ("diamond", Style { dimension: 3, edges: CUBE, basis: &DIAMOND }),
    ("sq", Style { dimension: 2, edges: CUBE, basis: &SC }),
    ("sq2", Style { dimension: 2, edges: CUBE, basis: &CENTRED }),
    ("hex", Style { dimension: 2, edges: [1.0, SQRT_3, 1.0], basis: &CENTRED }),
    ("custom", Style { dimension: 0, edges: CUBE, basis: &[] }),
];
