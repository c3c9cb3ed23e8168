//! Every compute style: documented, read from a script, and particular about its arguments.

mod commands;

use clamps::compute::{self, STYLES};
use clamps::region::region;
use clamps::state::State;
use clamps::{create, lattice};
use commands::{apply, fails, state};

/// Arguments that each style accepts.
const ARGUMENTS: [(&str, &str); 9] = [
    ("count/type", "atom"),
    ("pressure", "thermo_temp"),
    ("property/atom", "id vx"),
    ("reduce", "sum vx"),
    ("reduce/region", "half max x vy"),
    ("temp/partial", "1 1 0"),
    ("temp/ramp", "vx 0 1 y 0 2"),
    ("temp/region", "half"),
    ("msd", "com yes"),
];

fn system() -> State {
    let mut state = state();
    apply(&mut state, lattice::lattice, "lattice fcc 0.8442").expect("a lattice");
    apply(&mut state, region, "region b block 0 2 0 2 0 2").expect("a region");
    apply(&mut state, region, "region half block 0 1 0 2 0 2").expect("a region");
    apply(&mut state, create::create_box, "create_box 1 b").expect("a box");
    apply(&mut state, create::create_atoms, "create_atoms 1 box").expect("atoms");
    apply(&mut state, create::mass, "mass 1 1").expect("a mass");
    state
}

#[test]
fn bond_styles_are_documented() {
    let page = include_str!("../docs/commands.md");
    for (style, _) in clamps::bond::STYLES {
        assert!(page.contains(&format!("`{style}`")), "docs/commands.md does not mention bond style {style}");
    }
}

#[test]
fn computes_are_documented() {
    let page = include_str!("../docs/commands.md");
    for (style, _) in STYLES {
        assert!(page.contains(&format!("`{style}")), "docs/commands.md does not mention compute {style}");
    }
}

#[test]
fn computes_are_read_and_refuse_what_does_not_fit() {
    for (style, _) in STYLES {
        let mut state = system();
        let words = ARGUMENTS.iter().find(|(name, _)| name == style).map_or("", |(_, words)| words);
        apply(&mut state, compute::compute, &format!("compute c all {style} {words}")).expect(style);
        // Energies and virials need a run; everything else is there at once.
        let value = state.now().evaluate("c");
        assert_eq!(value.is_ok(), !["pe", "pressure"].contains(style), "{style}: {value:?}");
        let (marked, message) =
            fails(&mut state, compute::compute, &format!("compute d all {style} {words} w"));
        assert_eq!(marked, "w", "{style}: {message}");
        apply(&mut state, compute::uncompute, "uncompute c").expect(style);
    }
}
