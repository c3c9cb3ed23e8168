//! Bad commands: the message and the word it points at.

use super::{expand, fails, pointed_at};

/// Scripts that must fail: what the message says, and the word it points at.
const BAD: &[(&str, &str, &str)] = &[
    ("units cgs", "unit system 'cgs' is not supported", "cgs"),
    ("units reel", "unknown unit system 'reel'", "reel"),
    ("MELT units lj", "box exists already", "units"),
    ("MELT dimension 3", "box exists already", "dimension"),
    ("MELT boundary p p p", "box exists already", "boundary"),
    ("dimension 4", "unknown dimension '4'", "4"),
    ("boundary p ps p", "both faces", "ps"),
    ("boundary p x p", "'x' is not a boundary", "x"),
    ("atom_style sphere", "atom style 'sphere' is not supported", "sphere"),
    ("atom_style atomik", "unknown atom style 'atomik'", "atomik"),
    ("lattice fcc -1", "'-1' is not a lattice scale", "-1"),
    ("lattice bbc 1", "unknown lattice style 'bbc'", "bbc"),
    ("lattice sq 1", "is a lattice in 2d", "sq"),
    ("dimension 2; lattice fcc 1", "the system is 2d", ""),
    ("lattice fcc 1 origin 1.5 0 0", "'1.5' is not a fraction", "1.5"),
    ("lattice fcc 1 a1 1 0 0", "style custom only", "a1"),
    ("lattice custom 1", "no basis atoms", "custom"),
    ("lattice custom 1 basis 0 0 0 a1 0 1 0", "no volume", "custom"),
    ("lattice fcc 1 orient x 1 1 0", "not orthogonal", "fcc"),
    ("lattice fcc 1 orient x 0 1 0 orient y 1 0 0", "right-handed", "fcc"),
    ("dimension 2; lattice custom 1 basis 0 0 0.5", "leave the plane", "custom"),
    ("region a block 0 1 0 1 0", "is missing", ""),
    ("region a block 0 1 0 1 INF 1", "INF and EDGE need the simulation box", "INF"),
    ("region a block 0 1 0 1 2 1", "above the upper", "2"),
    ("region a sphere 0 0 0 -1", "cannot be negative", "-1"),
    ("region a prism 0 1 0 1 0 1 0 0", "a tilt: xy, xz, yz is missing", ""),
    ("region a prism 0 1 2 2 0 1 0 0 0", "must differ", "2"),
    ("region a prism 0 1 0 1 0 1 0.5 0 0; create_box 1 a", "tilted boxes are not supported", "a"),
    ("MELT region a prism 0 1 0 INF 0 1 0.5 0 0", "cannot be tilted", "prism"),
    ("region a blok 0 1 0 1 0 1", "unknown region style 'blok'", "blok"),
    ("region a block 0 1 0 1 0 1 move v_x NULL NULL", "region keyword 'move' is not supported", "move"),
    ("region a block 0 1 0 1 0 1; region a block 0 1 0 1 0 1", "a region 'a' already", "a"),
    ("region a union 2 b c", "unknown region 'b'", "b"),
    ("region a plane 0 0 0 0 0 0", "normal of the plane is zero", "plane"),
    ("region a delete", "unknown region 'a'", "a"),
    ("create_box 1 nowhere", "unknown region 'nowhere'", "nowhere"),
    ("region a block 0 1 0 1 1 1; create_box 1 a", "no extent along z", "a"),
    ("region a block 0 1 0 1 0 1 side out; create_box 1 a", "no bounds", "a"),
    ("region a block 0 1 0 1 0 1; create_box 0 a", "1 to 4096", "0"),
    ("MELT create_box 1 box", "exists already", "create_box"),
    ("dimension 2; region a block 0 1 0 1 0 1; create_box 1 a", "below and above z = 0", "a"),
    (
        "dimension 2; boundary p p f; region a block 0 1 0 1 -1 1; create_box 1 a",
        "periodic along z",
        "create_box",
    ),
    ("create_atoms 1 box", "no simulation box", ""),
    ("MELT create_atoms 3 box", "not within 1 to 2", "3"),
    ("MELT create_atoms 1 mesh f", "'mesh' is not supported", "mesh"),
    ("MELT create_atoms 1 box basis 5 1", "basis atoms 1 to 4", "5"),
    ("MELT create_atoms 1 box subset 5 5", "'subset' is not supported", "subset"),
    ("region a block 0 1 0 1 0 1; create_box 1 a; create_atoms 1 box", "no lattice", "box"),
    (
        "lattice sc 1e60; region a block 0 1e9 0 1e9 0 1e9 units box; create_box 1 a; create_atoms 1 box",
        "more than there are IDs for",
        "",
    ),
    ("mass 1 1", "no simulation box", ""),
    ("MELT mass 3 1", "atom types 1 to 2", "3"),
    ("MELT mass 2*1 1", "atom types 1 to 2", "2*1"),
    ("MELT mass x 1", "'x' is not an atom type", "x"),
    ("MELT mass 1 0", "'0' is not a mass", "0"),
    ("MELT group g sphere 1", "unknown group style 'sphere'", "sphere"),
    ("MELT group g molecule 1", "'molecule' is not supported", "molecule"),
    ("MELT group g id 1*3", "not N, A:B", "1*3"),
    ("MELT group g id 1:5:0", "not N, A:B", "1:5:0"),
    ("MELT group g type 1 <= 2", "not N, A:B", "<="),
    ("MELT group g union all h", "unknown group 'h'", "h"),
    ("MELT group all delete", "cannot be cleared or deleted", "all"),
    ("region a block 0 1 0 1 0 1; create_box 1 a; mass 1 1; velocity all create 1 1", "no atoms", "velocity"),
    ("MELT velocity some create 1 1", "unknown group 'some'", "some"),
    ("MELT velocity all create 1 0", "a seed must", "0"),
    ("MELT velocity all create 1 2147483647", "a seed must", "2147483647"),
    ("MELT velocity all create -1 5", "cannot be negative", "-1"),
    ("MELT velocity all create 1 5 temp t", "unknown compute 't'", "t"),
    ("MELT velocity all create 1 5 loop gem", "unknown loop mode 'gem'", "gem"),
    ("MELT group e empty; velocity e create 1 5", "no atoms whose motion", ""),
    ("MELT group e id 3; velocity e create 1 5", "temperature 0", ""),
    ("MELT velocity all scale 1", "temperature 0", ""),
    ("FLAT velocity all set 0 0 1", "cannot move along z", "1"),
    ("FLAT velocity all ramp vz 0 1 x 0 1", "cannot move along z", "vz"),
    ("TWO create_box 1 box", "exists already", "create_box"),
    (
        "lattice fcc 0.8442; region a block 0 2 0 2 0 2; create_box 2 a; create_atoms 1 box; mass 1 1;
        velocity all create 1 5",
        "type 2 has no mass",
        "velocity",
    ),
    ("read_data /no/such/file", "cannot open", "/no/such/file"),
    ("read_data file add append", "'add' is not supported", "add"),
    ("read_data file extra/atom/types 1", "is not supported", "extra/atom/types"),
    ("MELT write_data /no/such/folder/file", "cannot write", "/no/such/folder/file"),
];

#[test]
fn bad_commands_are_refused_at_the_word() {
    for (script, message, word) in BAD {
        let error = fails(&expand(script));
        assert!(error.message.contains(message), "{script}: {}", error.message);
        if !word.is_empty() {
            assert_eq!(pointed_at(&error), *word, "{script}: {}", error.message);
        }
    }
}
