//! Boxes that follow their atoms a long way.

use super::{log_of, tables};

/// Two slabs that fly at each other in a leaning box, whose height halves: it leans so much more in the end that the run is set
/// up anew on the way.
#[test]
fn leaning_faces_follow_the_atoms_in_every_precision() {
    let script = "units lj\nboundary p p s\nlattice fcc 0.8442\nregion b prism 0 5 0 5 0 14 1.5 3.0 -2.5\n\
                  create_box 1 b\nregion low block INF INF INF INF 0.4 2.1\n\
                  region high block INF INF INF INF 11.4 13.1\ncreate_atoms 1 region low\n\
                  create_atoms 1 region high\ngroup up region low\ngroup down region high\nmass 1 1\n\
                  velocity all create 0.5 87287\nvelocity up set NULL NULL 4.0 sum yes\n\
                  velocity down set NULL NULL -4.0 sum yes\npair_style lj/cut 2.5\npair_coeff 1 1 1.0 1.0\n\
                  pair_modify shift yes\nneighbor 0.3 bin\nneigh_modify every 2 delay 0 check yes\nfix 3 all nve\n\
                  timestep 0.004\nthermo 250\nthermo_style custom step temp epair press zlo zhi\nrun 250\n";
    // LAMMPS, double precision.
    let expected = [
        [0.0, 15.532321, -2.8802417, 5.5169787, 0.83744666, 21.837102],
        [250.0, 15.774252, -3.2678206, 7.1495516, 4.5056916, 17.203825],
    ];
    for precision in ["double", "mixed", "single"] {
        let log = log_of(script, &["-precision", precision]);
        let tolerance = if precision == "double" { 1e-7 } else { 3e-6 };
        for (ours, lammps) in tables(&log)[0].1.iter().zip(&expected) {
            for (a, b) in ours.iter().zip(lammps) {
                assert!((a - b).abs() <= tolerance * b.abs(), "{precision}: {a}, LAMMPS {b}");
            }
        }
    }
}
