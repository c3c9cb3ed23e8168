//! `dimension` and `boundary`. Source: LAMMPS manual.

use crate::session::box_checks::forbid_box;

use crate::base::error::Result;
use crate::model::domain::Boundary;
use crate::script::Args;
use crate::session::Session;

/// `dimension 2|3`.
///
/// # Errors
/// When the box exists already or the number is another one.
pub fn dimension(session: &mut Session, args: &mut Args) -> Result<()> {
    forbid_box(session, args)?;
    session.system.dimension = args.one_of("dimension", &[("2", 2), ("3", 3)])?;
    session.computes.set_dimension(session.system.dimension);
    args.finish()
}

/// `boundary x y z`: each a letter of `p f s m` for both faces, or one for each.
///
/// # Errors
/// When the box exists already, a letter is another one, or only one face of an axis is periodic.
pub fn boundary(session: &mut Session, args: &mut Args) -> Result<()> {
    forbid_box(session, args)?;
    session.system.boundary = boundary_faces(args)?;
    args.finish()
}

/// Takes the boundaries of three axes.
///
/// # Errors
/// When a letter is another one, or only one face of an axis is periodic.
pub(crate) fn boundary_faces(args: &mut Args) -> Result<[[Boundary; 2]; 3]> {
    let mut boundary = [[Boundary::Periodic; 2]; 3];
    for faces_of_axis in &mut boundary {
        let what = "a boundary (one or two of p f s m)";
        let word = args.word(what)?;
        let faces: Option<Vec<Boundary>> = word.text.chars().map(face).collect();
        *faces_of_axis = match faces.as_deref() {
            Some(&[both]) => [both, both],
            Some(&[lower, upper]) => [lower, upper],
            _ => {
                return Err(args
                    .error(word, format_args!("'{}' is not {what}", word.text))
                    .label("expected p, f, s, m or two of f s m"));
            }
        };
        let periodic = faces_of_axis.map(|face| face == Boundary::Periodic);
        if periodic[0] != periodic[1] {
            return Err(args.error(word, "both faces of a periodic axis must be periodic").label("write p"));
        }
    }
    Ok(boundary)
}

fn face(letter: char) -> Option<Boundary> {
    match letter {
        'p' => Some(Boundary::Periodic),
        'f' => Some(Boundary::Fixed),
        's' => Some(Boundary::Shrink),
        'm' => Some(Boundary::ShrinkMin),
        _ => None,
    }
}
