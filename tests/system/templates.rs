//! Files of `molecule`, and sections of `fix property/atom` in data files: mistakes in them are told where they are.

use super::{apply, empty, fails, pointed_at, refused_at_the_place, run, write};
use std::path::PathBuf;

const GOOD: &str = "two beads\n\n2 atoms\n1 bonds\n\nCoords\n\n1 0 0 0\n2 1 0 0\n\nTypes\n\n2 1\n1 2\n\nCharges\n\n1 0.5\n2 -0.5\n\nBonds\n\n1 1 1 2\n";
const BOX: &str = "atom_style bond; region b block 0 4 0 4 0 4; create_box 2 b bond/types 1; ";

#[test]
fn a_molecule_is_put_where_it_belongs() {
    let (_folder, path) = write(GOOD);
    let script = format!(
        "{BOX}molecule two {} scale 0.5; create_atoms 0 single 3.9 1 1 units box mol two 1 rotate 90 0 0 1; \
         create_atoms 0 single 3.9 2 2 units box mol two 1 rotate 0 0 1 0",
        path.display()
    );
    let mut session = run(&script);
    // By hand: half a length apart, about the middle; the second reaches across the face.
    let expected = [[3.9, 0.75, 1.0], [3.9, 1.25, 1.0], [3.65, 2.0, 2.0], [0.15, 2.0, 2.0]];
    let bonds: Vec<[u32; 2]> = session.system.topology.bonds.iter().map(|bond| bond.atoms).collect();
    assert_eq!(bonds, [[1, 2], [3, 4]]);
    let atoms = session.atoms().unwrap();
    for (x, expected) in atoms.x.iter().zip(expected) {
        assert!((0..3).all(|d| (x[d] - expected[d]).abs() < 1e-12), "{x:?} {expected:?}");
    }
    assert_eq!((&atoms.kind[..], &atoms.molecule[..]), (&[2, 1, 2, 1][..], &[1, 1, 2, 2][..]));
    assert_eq!(atoms.image, [[0; 3], [0; 3], [0; 3], [1, 0, 0]]);
}

#[test]
fn malformed_molecules_are_refused_at_the_place() {
    // Replace the first text by the second: message, line and word.
    let table: &[(&str, &str, &str, usize, &str)] = &[
        ("2 atoms", "0 atoms", "does not say how many atoms", 6, ""),
        ("2 atoms", "x atoms", "does not say how many atoms", 3, "x atoms"),
        ("1 bonds", "3 angles", "'3 angles' is not a header line", 4, "3 angles"),
        ("1 bonds", "2 bonds", "the file ends after 1 of 2 lines of section Bonds", 24, ""),
        ("Coords", "Coord", "'Coord' is not a section of a molecule file", 6, "Coord"),
        ("2 1 0 0", "3 1 0 0", "atom 3 is not within 1 to 2", 9, "3"),
        ("2 1 0 0", "1 1 0 0", "atom 1 is there twice", 9, "1"),
        ("2 1 0 0", "2 1 0", "a coordinate is missing", 9, "2 1 0"),
        ("2 1 0 0", "2 1 0 0 0", "unexpected '0'", 9, "0"),
        ("1 2\n", "1 0\n", "'0' is not an atom type", 14, "0"),
        ("Types", "Diameters", "'Diameters' is not a section of a molecule file", 11, "Diameters"),
        ("\nTypes\n\n2 1\n1 2\n", "", "the file has no section Types", 19, ""),
        ("2 -0.5", "2 nan", "'nan' is not a charge", 19, "nan"),
        ("1 1 1 2", "1 1 1 3", "atom 3 is not within 1 to 2", 23, "3"),
        ("1 1 1 2", "1 1 2 2", "atom 2 has a bond with itself", 23, ""),
        ("\nBonds\n\n1 1 1 2\n", "", "the file has no section Bonds for its 1 bonds", 20, ""),
    ];
    refused_at_the_place(GOOD, table, "molecule two");
}

#[test]
fn molecules_that_do_not_fit_are_refused() {
    let (_folder, path) = write(GOOD);
    for (script, message, word) in [
        ("molecule tw-o FILE", "other characters than letters", "tw-o"),
        ("molecule two FILE; molecule two FILE", "there is a molecule 'two' already", "two"),
        ("molecule two FILE FILE", "a second file", "FILE"),
        ("molecule two FILE scale 0", "greater than 0", "0"),
        ("molecule two FILE toff -1", "an integer from 0 on", "-1"),
        ("molecule two nowhere.mol", "cannot open nowhere.mol", "nowhere.mol"),
        ("BOX create_atoms 0 box mol two 1", "unknown molecule 'two'", "two"),
        ("BOX molecule two FILE toff 1; create_atoms 0 box mol two 1", "atom type 3, beyond 1 to 2", "two"),
        ("BOX molecule two FILE; create_atoms 1 box mol two 1", "atom type 3, beyond 1 to 2", "two"),
        ("BOX molecule two FILE boff 1; create_atoms 0 box mol two 1", "bond type 2, beyond 1 to 1", "two"),
        ("BOX molecule two FILE; create_atoms 0 box mol two 0", "a seed must lie within", "0"),
        (
            "BOX molecule two FILE; create_atoms 0 box mol two 1 rotate 30 0 0 0",
            "the axis has no length",
            "rotate",
        ),
        ("BOX create_atoms 1 box rotate 30 0 0 1", "`rotate` needs `mol`, too", "rotate"),
    ] {
        let file = path.display().to_string();
        let error = fails(&script.replace("BOX ", &format!("{BOX}lattice sc 1; ")).replace("FILE", &file));
        assert!(error.message.contains(message), "{script}: {}", error.message);
        assert_eq!(pointed_at(&error), word.replace("FILE", &file), "{script}: {}", error.message);
    }
    let outside = format!(
        "boundary f p p; {BOX}molecule two {}; create_atoms 0 single 3.9 1 1 units box mol two 1 rotate 0 0 0 1",
        path.display()
    );
    let error = fails(&outside);
    assert!(error.message.contains("atom 2 of a molecule two is outside of the box"), "{}", error.message);
}

#[test]
fn sections_of_properties_are_refused_at_the_place() {
    let good =
        "title\n\n2 atoms\n1 atom types\n\nAtoms\n\n1 1 0 0 0\n2 1 0.1 0 0\n\nown\n\n2 4 0.5 3\n1 -1 1e3 0\n";
    let script = |path: &PathBuf| {
        let fix = "fix own all property/atom i_kind d_size mol; fix 1 all nve";
        format!("{fix}; read_data {} fix own NULL NULL", path.display())
    };
    let (_folder, path) = write(good);
    let mut session = empty();
    apply(&mut session, &script(&path)).unwrap();
    let atoms = session.atoms().unwrap();
    assert_eq!(atoms.custom.get("i_kind"), Some(&[-1.0, 4.0][..]));
    assert_eq!(atoms.custom.get("d_size"), Some(&[1000.0, 0.5][..]));
    assert_eq!(atoms.molecule, [0, 3]);
    for (from, to, message, line, word) in [
        ("2 4 0.5", "3 4 0.5", "there is no atom 3", 13, "3"),
        ("2 4 0.5", "2 4.5 0.5", "'4.5' is not an integer", 13, "4.5"),
        ("2 4 0.5", "2 4 nan", "'nan' is not a value of d_size", 13, "nan"),
        ("2 4 0.5 3", "2 4 0.5", "a molecule ID (an integer from 0) is missing", 13, "2 4 0.5"),
        ("2 4 0.5 3", "2 4 0.5 3 1", "unexpected '1'", 13, "1"),
        ("own", "other", "'other' is not a section of a data file", 11, "other"),
        ("1 -1 1e3 0\n", "", "the file ends after 1 of 2 lines of section own", 14, ""),
    ] {
        let (_folder, path) = write(&good.replacen(from, to, 1));
        let error = fails(&script(&path));
        assert!(error.message.contains(message), "{to}: {}", error.message);
        assert_eq!(error.at.as_ref().unwrap().0.line, line, "{to}: {}", error.message);
        if !word.is_empty() {
            assert_eq!(pointed_at(&error), word, "{to}: {}", error.message);
        }
    }
}
