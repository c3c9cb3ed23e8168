//! Every compute style and every fix style: documented, read from a script, and particular about its arguments.

mod commands;

use clamps::compute::{self, STYLES};
use clamps::region::region;
use clamps::state::State;
use clamps::{create, domain, fix, lattice};
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
    apply(&mut state, domain::boundary, "boundary p p f").expect("boundaries");
    apply(&mut state, lattice::lattice, "lattice fcc 0.8442").expect("a lattice");
    apply(&mut state, region, "region b block 0 2 0 2 0 2").expect("a region");
    apply(&mut state, region, "region half block 0 1 0 2 0 2").expect("a region");
    apply(&mut state, create::create_box, "create_box 1 b").expect("a box");
    apply(&mut state, create::create_atoms, "create_atoms 1 box").expect("atoms");
    apply(&mut state, create::mass, "mass 1 1").expect("a mass");
    state
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

/// Arguments that each fix style accepts.
const FIX_ARGUMENTS: [(&str, &str); 22] = [
    ("addforce", "1 0 0 every 2 region half"),
    ("aveforce", "1 NULL 0 region half"),
    ("balance", "10 1.1 shift xyz 5 1.1"),
    ("drag", "1 NULL 0 2.0 0.5"),
    ("gravity", "1.0 vector 0 0 1"),
    ("halt", "10 tlimit > 100 error soft message no"),
    ("indent", "10.0 sphere 0 0 0 1.0 side out units box"),
    ("lineforce", "1 0 0"),
    ("momentum", "10 linear 1 1 0 angular rescale"),
    ("move", "linear 1 NULL 0 units box"),
    ("nve/limit", "0.1"),
    ("planeforce", "1 0 0"),
    ("print", "10 text screen no"),
    ("recenter", "0.5 INIT NULL shift all units fraction"),
    ("setforce", "NULL 0 1 region half"),
    ("spring", "tether 1.0 0 NULL 0 1.0"),
    ("spring/self", "1.0 xy"),
    ("viscous", "1.0 scale 1 2.0"),
    ("wall/harmonic", "xlo EDGE 1 1 2.5 pbc yes"),
    ("wall/lj93", "xlo EDGE 1 1 2.5 zhi 3 1 1 2.5 units box pbc yes"),
    ("wall/morse", "xlo EDGE 1 1 1 2.5 pbc yes"),
    ("wall/reflect", "zhi EDGE zlo 0.1"),
];

#[test]
fn fixes_are_documented() {
    let page = include_str!("../docs/commands.md");
    for (style, _) in fix::STYLES {
        assert!(page.contains(&format!("`{style}")), "docs/commands.md does not mention fix {style}");
    }
}

#[test]
fn fixes_are_read_and_refuse_what_does_not_fit() {
    for (style, _) in fix::STYLES {
        if ["enforce2d", "balance"].contains(style) {
            continue;
        }
        let mut state = system();
        let words = FIX_ARGUMENTS.iter().find(|(name, _)| name == style).map_or("", |(_, words)| words);
        let words =
            if words.is_empty() && style.starts_with("wall/lj") { FIX_ARGUMENTS[19].1 } else { words };
        apply(&mut state, fix::fix, &format!("fix f all {style} {words}")).expect(style);
        let (marked, message) = fails(&mut state, fix::fix, &format!("fix g all {style} {words} w"));
        assert_eq!(marked, "w", "{style}: {message}");
        let (marked, message) = fails(&mut state, fix::fix_modify, "fix_modify f nonsense yes");
        assert_eq!(marked, "nonsense", "{style}: {message}");
        let energy = apply(&mut state, fix::fix_modify, "fix_modify f energy yes").is_ok();
        let has = ["addforce", "gravity", "indent", "spring", "spring/self"].contains(style)
            || style.starts_with("wall/") && *style != "wall/reflect";
        assert_eq!(energy, has, "{style}");
        apply(&mut state, fix::unfix, "unfix f").expect(style);
    }
}
