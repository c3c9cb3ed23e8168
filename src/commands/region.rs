//! `region`: shapes from the words of a script. Source: LAMMPS manual, `region`.

use crate::base::error::Result;
use crate::model::domain::{Domain, unit};
use crate::model::lattice;
use crate::model::region::motion;
use crate::model::region::motion::Variable;
use crate::model::region::{Region, Shape, across};
use crate::script::{Args, Word};
use crate::session::Session;

/// The coordinate that stands for "no limit", as in LAMMPS.
const INFINITE: f64 = 1e20;

const STYLES: [&str; 10] =
    ["block", "prism", "sphere", "cylinder", "cone", "ellipsoid", "plane", "union", "intersect", "delete"];

/// The styles of regions.
pub(crate) fn styles() -> impl Iterator<Item = &'static str> {
    STYLES.into_iter().filter(|name| *name != "delete")
}

/// `region NAME STYLE arguments keywords`, `region NAME delete`.
///
/// # Errors
/// When the name is taken, or an argument is missing, out of range or not supported.
pub fn region(session: &mut Session, args: &mut Args) -> Result<()> {
    let name = args.word("a region name")?;
    if args.accept("delete") {
        args.finish()?;
        let named = &mut session.system.regions.named;
        let Some(index) = named.iter().position(|(n, _)| *n == name.text) else {
            return Err(args.unknown(name, "region", named.iter().map(|(n, _)| n.as_str())));
        };
        named.remove(index);
        return Ok(());
    }
    if session.system.regions.get(&name.text).is_some() {
        return Err(args
            .error(name, format_args!("there is a region '{}' already", name.text))
            .help(format!("`region {} delete` frees the name", name.text)));
    }
    let style = args.word("a region style")?;
    // `units` stands behind the numbers that it scales.
    let box_units = args.rest().windows(2).any(|pair| pair[0].text == "units" && pair[1].text == "box");
    let scale = if box_units { [1.0; 3] } else { lattice::spacing(session.system.lattice.as_ref()) };
    let mut variables = Vec::new();
    let shape = shape(session, args, style, scale, &mut variables)?;
    let region = motion::keywords(args, &name.text, shape, variables, scale)?;
    session.system.regions.named.push((name.text.clone(), region));
    Ok(())
}

/// Takes the name of a region, as it is now.
///
/// # Errors
/// At the word, when it is missing, no region has this name, or a variable of it has no value.
pub(crate) fn region_now(session: &Session, args: &mut Args) -> Result<Region> {
    let word = args.clone().word("a region")?;
    let region = session.system.regions.moving_arg(args)?;
    let placed = session.now().placed(region).map_err(|error| args.place(word, error))?;
    Ok(placed.into_owned())
}

/// Takes a number, or a variable for the number of a shape at `slot`.
fn number(
    args: &mut Args,
    what: &str,
    scale: f64,
    slot: usize,
    variables: &mut Vec<Variable>,
) -> Result<f64> {
    if !args.peek().is_some_and(|word| word.text.starts_with("v_")) {
        let what = match what.ends_with(')') {
            true => what.to_owned(),
            false => format!("{what} (a number or v_NAME)"),
        };
        return Ok(scale * args.f64(&what)?);
    }
    let name = motion::variable(args, what)?;
    variables.push(Variable { slot, name, scale });
    Ok(0.0)
}

/// The same for a length that cannot be negative.
fn radius(args: &mut Args, scale: f64, slot: usize, variables: &mut Vec<Variable>) -> Result<f64> {
    let word = args.peek();
    let radius = number(args, "a radius", scale, slot, variables)?;
    match word.filter(|_| radius < 0.0) {
        Some(word) => Err(args.error(word, "a radius cannot be negative")),
        None => Ok(radius),
    }
}

/// Takes the shape of a style; what in it follows variables is 0 for now, and named in `variables`.
fn shape(
    session: &Session,
    args: &mut Args,
    style: &Word,
    scale: [f64; 3],
    variables: &mut Vec<Variable>,
) -> Result<Shape> {
    // In a leaning box the edges of a prism are those of the box's own axes, and those of other shapes the edges of the block
    // around it.
    let domain = session.system.domain.as_ref();
    let box_bounds = domain.map(Domain::bounds);
    let own_edges = domain.map(|domain| [domain.lo, domain.hi]);
    match style.text.as_str() {
        "block" => {
            let (mut lo, mut hi) = ([0.0; 3], [0.0; 3]);
            for d in 0..3 {
                [lo[d], hi[d]] = range(args, d, scale, box_bounds, (2 * d, &mut *variables))?;
            }
            Ok(Shape::Block { lo, hi })
        }
        "sphere" => {
            let mut centre = [0.0; 3];
            for d in 0..3 {
                centre[d] = number(args, "a coordinate of the centre", scale[d], d, variables)?;
            }
            Ok(Shape::Sphere { centre, radius: radius(args, scale[0], 3, variables)? })
        }
        "cylinder" | "cone" => {
            let axis = args.one_of("axis", &[("x", 0), ("y", 1), ("z", 2)])?;
            let [a, b] = across(axis);
            let what = "a coordinate of the axis";
            let centre =
                [number(args, what, scale[a], 0, variables)?, number(args, what, scale[b], 1, variables)?];
            // Radii are in spacings of the first axis across: y for x, x for y and z.
            let first = radius(args, scale[a], 2, variables)?;
            let second = if style.text == "cone" {
                radius(args, scale[a], 3, variables)?
            } else {
                let same = variables.iter().find(|variable| variable.slot == 2).cloned();
                variables.extend(same.map(|same| Variable { slot: 3, ..same }));
                first
            };
            let [lo, hi] = range(args, axis, scale, box_bounds, (4, variables))?;
            Ok(Shape::Cone { axis, centre, radii: [first, second], lo, hi })
        }
        "plane" => {
            let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
            for d in 0..3 {
                point[d] = number(args, "a coordinate of a point of the plane", scale[d], d, variables)?;
            }
            for (component, scale) in normal.iter_mut().zip(scale) {
                *component = scale * args.f64("a component of the normal")?;
            }
            let normal = unit(normal).ok_or_else(|| args.error(style, "the normal of the plane is zero"))?;
            Ok(Shape::Plane { point, normal })
        }
        "union" | "intersect" => {
            let word = args.peek();
            let count: usize = args.int("a number of regions")?;
            if let Some(word) = word.filter(|_| count < 2) {
                return Err(args.error(word, "at least two regions are needed"));
            }
            let mut parts = Vec::new();
            for _ in 0..count {
                parts.push(session.system.regions.moving_arg(args)?.clone());
            }
            Ok(if style.text == "union" { Shape::Union(parts) } else { Shape::Intersect(parts) })
        }
        "ellipsoid" => {
            let (mut centre, mut radii) = ([0.0; 3], [0.0; 3]);
            for d in 0..3 {
                centre[d] = number(args, "a coordinate of the centre", scale[d], d, variables)?;
            }
            for d in 0..3 {
                radii[d] = radius(args, scale[d], 3 + d, variables)?;
            }
            Ok(Shape::Ellipsoid { centre, radii, flat: session.system.dimension == 2 })
        }
        "prism" => {
            let words = args.rest();
            let (mut lo, mut hi, mut tilt) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            for d in 0..3 {
                let known = variables.len();
                [lo[d], hi[d]] = range(args, d, scale, own_edges, (2 * d, &mut *variables))?;
                let flat = lo[d] == hi[d] && variables.len() == known;
                if let Some(word) = words.get(2 * d).filter(|_| flat) {
                    return Err(args.error(word, "the limits of a prism must differ"));
                }
            }
            for (k, axis) in [0, 0, 1].into_iter().enumerate() {
                tilt[k] = number(args, "a tilt: xy, xz, yz", scale[axis], 6 + k, variables)?;
            }
            Ok(Shape::Prism { lo, hi, tilt })
        }
        _ => Err(args.unknown(style, "region style", STYLES.into_iter())),
    }
}

/// Lower and upper limit along an axis: numbers, INF (no limit), EDGE (that of `edges`, the lower and upper ones of the box) or,
/// for the numbers of a shape from a slot on, variables.
fn range(
    args: &mut Args,
    axis: usize,
    scale: [f64; 3],
    edges: Option<[[f64; 3]; 2]>,
    (first, variables): (usize, &mut Vec<Variable>),
) -> Result<[f64; 2]> {
    let mut limits = [0.0; 2];
    let words = args.rest();
    let what = "a limit (a number, INF, EDGE or v_NAME)";
    for (end, limit) in limits.iter_mut().enumerate() {
        let word = args.clone().word(what)?;
        let infinite = args.accept("INF");
        *limit = if infinite || args.accept("EDGE") {
            let Some(edges) = edges else {
                return Err(
                    args.error(word, "INF and EDGE need the simulation box, which does not exist yet")
                );
            };
            let open = [-INFINITE, INFINITE][end];
            if infinite { open } else { edges[end][axis] }
        } else {
            number(args, what, scale[axis], first + end, variables)?
        };
    }
    let known = words.iter().take(2).all(|word| !word.text.starts_with("v_"));
    if limits[0] > limits[1] && known {
        return Err(args.error(&words[0], "the lower limit is above the upper one"));
    }
    Ok(limits)
}
