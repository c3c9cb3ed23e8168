//! Data files, against one that LAMMPS wrote (lammps.data: fcc 0.8442, two types, `velocity all create 1.44 1
//! loop geom`, atom 3 in image 2 0 -1).

use super::{apply, empty, expand, fails, refused_at_the_place, rows, run, write};
use clamps::session::Session;

const LAMMPS: &str = include_str!("lammps.data");

fn read(text: &str) -> Session {
    let (_folder, path) = write(text);
    run(&format!("read_data {}", path.display()))
}

#[test]
fn a_file_of_lammps_is_read_and_written_to_the_byte() {
    let (folder, path) = write(LAMMPS);
    let copy = folder.path().join("copy.*");
    let mut session = empty();
    session.clock.step = 42;
    apply(&mut session, &format!("read_data {}; write_data {}", path.display(), copy.display())).unwrap();
    let written = std::fs::read_to_string(folder.path().join("copy.42")).unwrap();
    let (title, rest) = written.split_once('\n').unwrap();
    assert!(title.contains("timestep = 42, units = lj"), "{title}");
    assert_eq!(rest, LAMMPS.split_once('\n').unwrap().1);
    assert_eq!(session.system.mass, [Some(1.0), Some(2.5)]);
    let log = session.output.log.text();
    let expected = "Reading data file ...
  orthogonal box = (0 0 0) to (3.3591924 1.6795962 1.6795962)
  1 by 1 by 1 MPI processor grid
  reading atoms ...
  8 atoms
  reading velocities ...
  8 velocities
  read_data CPU = ";
    assert!(log.starts_with(expected), "{log}");
}

#[test]
fn what_is_written_reads_back_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("melt.data").display().to_string();
    let mut session = run(&expand(&format!("TWO velocity all create 1e-20 5; write_data {path}")));
    let mut again = run(&format!("read_data {path}"));
    assert_eq!(rows(&mut session), rows(&mut again));
    assert_eq!(session.system.domain, again.system.domain);
    assert_eq!(session.system.mass, again.system.mass);
    let files = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(files, 1, "a temporary file was left");
}

/// A file of three atoms in a box from 0 to 1 with the sections given.
fn unit_box(sections: &str) -> String {
    format!(
        "title\n\n3 atoms\n2 atom types\n0 1 xlo xhi\n0 1 ylo yhi # hi\n0 1 zlo zhi\n0 bonds\n\n{sections}"
    )
}

#[test]
fn atoms_are_wrapped_along_periodic_axes() {
    // Positions and images as LAMMPS dumps them after reading this file.
    let text =
        unit_box("Atoms\n\n1 1 0.5 0.5 0.5 0 0 0\n3 1 1.5 -2.5 0.5 1 1 1 # c\n2 2 1.0 0.5 0.5 1 2 3\n");
    let mut session = read(&text);
    let atoms = session.atoms().unwrap();
    assert_eq!(atoms.tag, [1, 3, 2]);
    assert_eq!(atoms.x, [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.0, 0.5, 0.5]]);
    assert_eq!(atoms.image, [[0, 0, 0], [2, -2, 1], [2, 2, 3]]);
}

#[test]
fn faces_that_follow_the_atoms_leave_a_margin() {
    let text = unit_box("Atoms\n\n1 1 0.5 0.5 0.5 3 0 0\n2 1 1.0 0.5 0.5 0 1 0\n3 2 0.0 0.5 0.5 0 0 0\n");
    let (_folder, path) = write(&text);
    let mut session = run(&format!("boundary s p p; read_data {}", path.display()));
    let domain = session.domain().unwrap().clone();
    assert_eq!((domain.lo[0], domain.hi[0]), (-1e-4, 1.0001));
    // Image counts mean nothing along an open axis.
    assert_eq!(session.atoms().unwrap().image, [[0, 0, 0], [0, 1, 0], [0, 0, 0]]);
    // As in LAMMPS, x = 1.0 is outside of a fixed box and of one with faces `m`.
    for face in ["f", "m"] {
        let error = fails(&format!("boundary {face} p p; read_data {}", path.display()));
        assert!(error.message.contains("atom 2 lies outside of the box"), "{}", error.message);
        assert_eq!(error.at.unwrap().0.line, 13);
    }
}

#[test]
fn velocities_find_their_atoms_in_any_order() {
    let sections = "Atoms\n\n7 1 0.5 0.5 0.5\n2 1 0.1 0.5 0.5\n4 2 0.0 0.5 0.5\n\nVelocities\n\n4 4 0 0\n2 2 0 0\n7 7 0 0\n";
    let mut session = read(&unit_box(sections));
    assert_eq!(session.atoms().unwrap().v.iter().map(|v| v[0]).collect::<Vec<_>>(), [7.0, 2.0, 4.0]);
}

#[test]
fn malformed_files_are_refused_at_the_place() {
    let good = "Masses\n\n1 1.0\n2 2.0\n\nAtoms # atomic\n\n1 1 0.5 0.5 0.5\n2 1 0.1 0.5 0.5\n3 2 0.0 0.5 0.5\n\nVelocities\n\n1 0 0 0\n2 0 0 0\n3 0 0 0\n";
    read(&unit_box(good));
    // Replace the first text by the second: message, line and word.
    let table: &[(&str, &str, &str, usize, &str)] = &[
        ("3 atoms", "3 atomes", "'atomes' is not a header keyword", 3, "3 atomes"),
        ("3 atoms", "x atoms", "not a section", 3, "x atoms"),
        ("3 atoms", "-3 atoms", "'-3' is not a number of atoms", 3, "-3"),
        ("3 atoms", "99999999999 atoms", "at most 4294967295", 3, "99999999999"),
        ("3 atoms", "4 atoms", "the section ends after 3 of 4 lines of section Atoms", 20, ""),
        (
            "3 atoms",
            "2 atoms",
            "section Atoms has more lines than the header says (2)",
            19,
            "3 2 0.0 0.5 0.5",
        ),
        ("3 atoms", "3 atomes", "not a header keyword", 3, "3 atomes"),
        ("2 atom types", "99999999 atom types", "at most 4096 atom types", 4, "99999999"),
        (
            "2 atom types",
            "1 atom types",
            "section Masses has more lines than the header says (1)",
            13,
            "2 2.0",
        ),
        ("0 1 xlo xhi", "1 0 xlo xhi", "no extent along x", 5, "1 0 xlo xhi"),
        ("0 1 xlo xhi", "0 xlo xhi", "a coordinate of the box is missing", 5, "0 xlo xhi"),
        ("0 1 xlo xhi", "0 1e999 xlo xhi", "'1e999' is not a coordinate of the box", 5, "1e999"),
        ("0 1 xlo xhi", "0 1 2 xlo xhi", "unexpected '2'", 5, "2"),
        ("0 bonds", "1 bonds", "atoms of style atomic have no bonds", 8, "1 bonds"),
        ("0 bonds", "1 0 avec", "a component of a vector is missing", 8, "1 0 avec"),
        ("0 bonds", "1 0 0 avec", "by its edge vectors and by its corners", 10, "Masses"),
        ("0 bonds", "0 0 xy xz yz", "a tilt of the box is missing", 8, "0 0 xy xz yz"),
        ("Masses", "Massses", "'Massses' is not a section", 10, "Massses"),
        ("2 2.0", "2 -2.0", "a mass must be greater than 0", 13, "-2.0"),
        ("2 2.0", "3 2.0", "atom type 3 is not within 1 to 2", 13, "3"),
        ("2 2.0", "2 2.0 1", "unexpected '1'", 13, "1"),
        ("2 2.0\n", "", "the section ends after 1 of 2 lines of section Masses", 13, ""),
        ("# atomic", "# ellipsoid", "atom style 'ellipsoid' is not supported", 15, "Atoms"),
        ("# atomic", "# full", "the atoms are of style 'full', those of the script of 'atomic'", 15, "Atoms"),
        ("2 1 0.1", "0 1 0.1", "atom IDs begin at 1", 18, "0"),
        ("2 1 0.1", "-2 1 0.1", "'-2' is not an atom ID", 18, "-2"),
        ("2 1 0.1", "1 1 0.1", "atom ID 1 is used twice", 18, "1"),
        ("2 1 0.1", "2 3 0.1", "atom type 3 is not within 1 to 2", 18, "3"),
        ("2 1 0.1", "2 0 0.1", "atom type 0 is not within 1 to 2", 18, "0"),
        ("2 1 0.1", "2 1 nan", "'nan' is not a coordinate", 18, "nan"),
        ("2 1 0.1", "2 1 1e999", "'1e999' is not a coordinate", 18, "1e999"),
        ("2 1 0.1", "2 1 0,1", "'0,1' is not a coordinate", 18, "0,1"),
        ("2 1 0.1 0.5 0.5", "2 1 0.1 0.5", "a coordinate is missing", 18, "2 1 0.1 0.5"),
        ("2 1 0.1 0.5 0.5", "2 1 0.1 0.5 0.5 0 0 0", "either all atoms have image counts", 18, ""),
        ("1 1 0.5 0.5 0.5", "1 1 0.5 0.5 0.5 0 0", "an image count (an integer) is missing", 17, ""),
        ("1 1 0.5 0.5 0.5", "1 1 0.5 0.5 0.5 0 0 0 0", "unexpected '0'", 17, "0"),
        ("Atoms # atomic", "Atoms\n\nAtoms", "'Atoms' is not an atom ID", 17, "Atoms"),
        ("Velocities", "Atoms", "second section Atoms", 21, "Atoms"),
        ("Velocities", "Bonds", "atoms of style atomic have no bonds", 21, "Bonds"),
        ("Velocities", "Angles", "'Angles' is not a section", 21, "Angles"),
        ("2 0 0 0", "5 0 0 0", "there is no atom 5", 24, "5"),
        ("2 0 0 0", "1 0 0 0", "atom ID 1 has two velocities", 24, "1"),
        ("2 0 0 0", "2 0 0", "a velocity component is missing", 24, "2 0 0"),
        ("2 0 0 0", "2 0 0 0 0", "unexpected '0'", 24, "0"),
        ("3 0 0 0\n", "", "the file ends after 2 of 3 lines of section Velocities", 25, ""),
        ("Masses", "Pair Coeffs # lj/cut", "there is no pair style yet", 12, ""),
        ("Atoms # atomic", "Velocities", "must come after section Atoms", 15, "Velocities"),
    ];
    refused_at_the_place(&unit_box(good), table, "read_data");
}

#[test]
fn what_does_not_join_is_refused_at_the_place() {
    let box_of = |atoms: &str| format!("title\n\n1 atoms\n2 atom types\n0 2 xlo xhi\n{atoms}");
    let first = box_of("\nAtoms\n\n4 1 1.5 0 0\n");
    // Words of the command, header and sections of the second file: the message, and the line that it points at.
    let table = [
        ("merge", "\nAtoms\n\n4 1 0.5 0 0\n", "atom ID 4 is used twice", 9),
        ("append offset 1 0 0 0 0", "\nAtoms\n\n4 2 0.5 0 0\n", "atom type 2 + 1 is not within 1 to 2", 9),
        ("append", "\nAtoms\n\n4 3 0.5 0 0\n", "atom type 3 is not within 1 to 2", 9),
        ("append offset 1 0 0 0 0", "\nMasses\n\n1 1\n2 1\n", "atom type 2 + 1 is not within 1 to 2", 10),
        ("4294967290", "\nAtoms\n\n6 1 0.5 0 0\n", "is above 4294967295", 9),
        ("append", "\nAtoms\n\n4 1 0.5 0 0\n\nVelocities\n\n5 0 0 0\n", "there is no atom 9", 13),
        (
            "append",
            "\nAtoms # bond\n\n4 1 1 0.5 0 0\n",
            "of style 'bond', those of the script of 'atomic'",
            7,
        ),
        (
            "append",
            "0 0 0 xy xz yz\n\nMasses\n",
            "of the file is triclinic, that of the system orthogonal",
            8,
        ),
        (
            "append",
            "\nMasses\n\n1 1\n2 1\n\nAtom Type Labels\n\n1 C\n2 H\n",
            "must come before others with types",
            12,
        ),
        ("append", "\nAtom Type Labels\n\n1 C\n2 C\n", "type 1 has the name 'C' already", 10),
        ("append", "\nAtom Type Labels\n\n1 C\n3 H\n", "type 3 is not within 1 to 2", 10),
        ("append", "1 0 0 avec\n\nMasses\n", "of the file is general triclinic", 8),
    ];
    for (words, second, message, line) in table {
        let ((_first, first), (_second, second)) = (write(&first), write(&box_of(second)));
        let error =
            fails(&format!("read_data {}; read_data {} add {words}", first.display(), second.display()));
        assert!(error.message.contains(message), "{words}: {}", error.message);
        assert_eq!(error.at.expect("a place").0.line, line, "{words}: {message}");
    }
}

#[test]
fn truncated_or_garbled_files_are_errors_and_never_panics() {
    let last_line = LAMMPS.trim_end().rfind('\n').unwrap() + 1;
    // A file that ends with its atoms is complete: velocities may be left out.
    let atoms_end = LAMMPS.find("\nVelocities").unwrap();
    for end in 0..last_line {
        let (_folder, path) = write(&LAMMPS[..end]);
        let result = apply(&mut empty(), &format!("read_data {}", path.display()));
        let complete = LAMMPS[..end].trim_end().len() + 1 >= LAMMPS[..atoms_end].trim_end().len()
            && end <= atoms_end + 1;
        assert!(complete || result.is_err(), "cut after {end} bytes:\n{}", &LAMMPS[..end]);
    }
    let (folder, path) = write("");
    std::fs::write(&path, [b"title\n\n3 atoms\n".as_slice(), &[0xff, 0xfe, b'\n']].concat()).unwrap();
    let error = fails(&format!("read_data {}", path.display()));
    assert!(error.message.contains("byte 0xff is no text in UTF-8"), "{}", error.message);
    let error = fails(&format!("read_data {}", folder.path().display()));
    assert!(error.message.contains("cannot"), "{}", error.message);
}

#[test]
fn another_unit_system_in_the_title_is_a_warning() {
    let session = read(&LAMMPS.replace("units = lj", "units = metal"));
    let expected = "WARNING: Inconsistent units in data file: current = lj, data file = metal";
    assert!(session.output.log.text().contains(expected), "{}", session.output.log.text());
}
