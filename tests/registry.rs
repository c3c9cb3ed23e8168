//! Every compute and fix style: documented, read from a script, and particular about its arguments.

mod commands;

use clamps::base::error::Result;
use clamps::commands::create;
use clamps::commands::region::region;
use clamps::computes::registry::STYLES;
use clamps::script::Args;
use clamps::script::formula::Reference;
use clamps::session::Session;
use clamps::session::snapshot::{Form, Input, Measured};
use commands::{apply, fails, session};
use std::collections::BTreeSet;

/// Arguments that each style accepts.
const ARGUMENTS: [(&str, &str); 58] = [
    ("dipole/chunk", "layers geometry"),
    ("entropy/atom", "0.2 1.4 avg yes 1.2 local yes"),
    ("hexorder/atom", "degree 5 nnn 4 cutoff 1.5"),
    ("msd/nongauss", "com yes"),
    ("adf", "10 1 1 * 0 1.5 0.2 1.5 ordinate cosine"),
    ("aggregate/atom", "1.2"),
    ("bond/local", "dist engpot velvib"),
    ("dipole", "geometry"),
    ("fragment/atom", "single yes"),
    ("pair", "hybrid/overlay evdwl"),
    ("pair/local", "dist fx cutoff type"),
    ("property/local", "patom1 ptype2 cutoff type"),
    ("angmom/chunk", "layers"),
    ("born/matrix", "numdiff 1e-6 virial"),
    ("centro/atom", "fcc"),
    ("chunk/atom", "bin/2d x lower 0.5 y center 0.3 bound x 0.2 upper discard no"),
    ("chunk/spread/atom", "layers c_where[*] c_many"),
    ("cluster/atom", "1.2"),
    ("cna/atom", "1.3"),
    ("ackland/atom", "legacy yes"),
    ("cnp/atom", "1.3"),
    ("com/chunk", "layers"),
    ("coord/atom", "cutoff 1.3 group all 1 *"),
    ("count/type", "atom"),
    ("global/atom", "c_layers c_where[*] c_many"),
    ("group/group", "all pair yes"),
    ("gyration/chunk", "layers tensor"),
    ("heat/flux", "k p s"),
    ("inertia/chunk", "layers"),
    ("msd/chunk", "layers"),
    ("omega/chunk", "layers"),
    ("orientorder/atom", "degrees 2 4 6 nnn NULL cutoff 1.5 wl yes wl/hat yes components 6 chunksize 10"),
    ("pe/atom", "pair"),
    ("pressure", "thermo_temp"),
    ("property/atom", "id vx"),
    ("property/chunk", "layers count coord1"),
    ("property/grid", "4 3 2 id ix x yc zsc"),
    ("ptm/atom", "fcc-dcub-graphene 0.1 all"),
    ("rdf", "10 1 1 cutoff 1.5"),
    ("reduce", "sum vx c_property[*]"),
    ("reduce/chunk", "layers max c_property[*] c_k"),
    ("reduce/region", "half max x vy"),
    ("slice", "1 5 2 c_thermo_temp c_many"),
    ("centroid/stress/atom", "NULL virial"),
    ("stress/atom", "NULL virial"),
    ("stress/cartesian", "x 0.9 y 1.1 ke pair"),
    ("stress/mop", "z center kin total"),
    ("stress/mop/profile", "x lower 0.7 kin conf"),
    ("temp/chunk", "layers temp internal com yes"),
    ("temp/partial", "1 1 0"),
    ("temp/profile", "1 0 0 xz 2 3"),
    ("temp/ramp", "vx 0 1 y 0 2"),
    ("temp/region", "half"),
    ("msd", "com yes"),
    ("torque/chunk", "layers"),
    ("vcm/chunk", "layers"),
    ("pe", "pair"),
    (
        "voronoi/atom",
        "only_group radius c_k surface all edge_histo 6 edge_threshold 0.1 face_threshold 0.01 neighbors yes",
    ),
];

/// Words that styles refuse, and the word that is marked.
const REFUSED: [(&str, &str, &str); 82] = [
    ("entropy/atom", "0.2 1.4 local perhaps", "perhaps"),
    ("hexorder/atom", "nnn 0", "0"),
    ("dipole/chunk", "k", "k"),
    ("adf", "10 1 1 1 0 1.5 1.5 1.5", "1.5"),
    ("bond/local", "dist v_flux", "v_flux"),
    ("pair", "morse", "morse"),
    ("pair", "lj/cut 2", "2"),
    ("pair/local", "dist p1", "p1"),
    ("pair/local", "dist cutoff radius", "radius"),
    ("property/local", "patom1 btype", "btype"),
    ("property/local", "aatom1", "aatom1"),
    ("born/matrix", "numdiff 0 virial", "0"),
    ("born/matrix", "numdiff 1e-6 thermo_press", "thermo_press"),
    ("born/matrix", "pair numdiff 1e-6 virial", "pair"),
    ("born/matrix", "bond", "bond"),
    ("centro/atom", "sc", "sc"),
    ("centro/atom", "7", "7"),
    ("centro/atom", "fcc axes x", "x"),
    ("chunk/atom", "bin/1d u lower 1", "u"),
    ("chunk/atom", "bin/1d x low 1", "low"),
    ("chunk/atom", "bin/1d x lower 0", "0"),
    ("chunk/atom", "bin/2d x lower 1 x upper 1", "x"),
    ("chunk/atom", "bin/sphere 1 1 1 2 1 3", "2"),
    ("chunk/atom", "type discard mixed", "discard"),
    ("chunk/atom", "c_property", "c_property"),
    ("chunk/atom", "bin/1d x lower 1 nchunk twice", "twice"),
    ("angmom/chunk", "k", "k"),
    ("chunk/spread/atom", "layers", ""),
    ("chunk/spread/atom", "layers c_thermo_temp", "c_thermo_temp"),
    ("chunk/spread/atom", "layers c_where", "c_where"),
    ("cluster/atom", "-1", "-1"),
    ("com/chunk", "thermo_temp", "thermo_temp"),
    ("coord/atom", "cutoff 1 3", "3"),
    ("coord/atom", "radius 1", "radius"),
    ("count/type", "bond", "bond"),
    ("global/atom", "c_where[1] c_many", "c_where[1]"),
    ("global/atom", "c_k c_where[4]", "c_where[4]"),
    ("group/group", "nobody", "nobody"),
    ("gyration/chunk", "layers scalar", "scalar"),
    ("heat/flux", "k s p", "s"),
    ("coord/atom", "orientorder property 0.5", "property"),
    ("msd", "mean yes", "mean"),
    ("orientorder/atom", "degrees 2 4 41", "41"),
    ("orientorder/atom", "components 5", "5"),
    ("orientorder/atom", "nnn 0", "0"),
    ("orientorder/atom", "degrees 2 4", ""),
    ("pe/atom", "pairs", "pairs"),
    ("pressure", "NULL", "NULL"),
    ("property/chunk", "layers coord2", "coord2"),
    ("property/chunk", "layers id", "id"),
    ("property/grid", "4 0 2 id", "0"),
    ("property/grid", "4 3 2 xx", "xx"),
    ("property/grid", "4 3 2000000000 id", "2000000000"),
    ("ptm/atom", "fcc-cubic 0.1", "fcc-cubic"),
    ("ptm/atom", "fcc- 0.1", "fcc-"),
    ("ptm/atom", "all -0.1", "-0.1"),
    ("ptm/atom", "default 0.1 nobody", "nobody"),
    ("rdf", "0", "0"),
    ("rdf", "10 1", ""),
    ("reduce", "sum c_property", "c_property"),
    ("reduce", "sum c_property[3]", "c_property[3]"),
    ("reduce", "sum c_property[1] inputs local", "c_property[1]"),
    ("reduce/chunk", "layers ave c_k", "ave"),
    ("reduce/chunk", "layers sum", ""),
    ("reduce/chunk", "layers sum vx", "vx"),
    ("slice", "0 5 1 c_thermo_temp", "0"),
    ("slice", "5 5 1 c_thermo_temp", "5"),
    ("slice", "1 8 1 c_thermo_temp", "c_thermo_temp"),
    ("slice", "1 3 1 c_k", "c_k"),
    ("stress/atom", "p", "p"),
    ("stress/cartesian", "x 0.9 x 0.9", "x"),
    ("stress/mop", "z 1e9 kin", "1e9"),
    ("stress/mop", "z center angle", "angle"),
    ("stress/mop/profile", "x lower 0.0 kin", "0.0"),
    ("temp/chunk", "layers com yes bias thermo_temp", "bias"),
    ("temp/profile", "1 0 0 q 2", "q"),
    ("temp/ramp", "vx 0 1 y 2 2", "2"),
    ("voronoi/atom", "radius v_flux", "v_flux"),
    ("voronoi/atom", "edge_histo 0", "0"),
    ("voronoi/atom", "edge_threshold -1", "-1"),
    ("voronoi/atom", "surface nobody", "nobody"),
    ("voronoi/atom", "neighbors perhaps", "perhaps"),
];

/// Arguments that each fix accepts.
const FIX_ARGUMENTS: [(&str, &str); 95] = [
    ("pair", "10 eam/alloy rho 0 fp 0"),
    ("smd", "cvel 20.0 0.5 tether 1.0 NULL 2.0 0.1"),
    ("addtorque", "1 v_flux 0"),
    (
        "ave/moments",
        "1 4 5 c_thermo_temp c_thermo_press mean stddev variance skew kurtosis start 5 history 3",
    ),
    ("bond/break", "10 1 1.2 prob 0.5 4711"),
    ("bond/create", "10 1 1 1.2 1 iparam 2 1 jparam 2 1 prob 0.5 4711"),
    ("brownian", "1.0 4711 gamma_t 2.0 rng gaussian"),
    ("restrain", "bond 1 2 10 20 1.0 1.5 lbound 3 4 10 10 2.0"),
    ("store/force", ""),
    ("store/state", "10 x xu vx type c_k v_speed i_body com yes"),
    ("efield", "0.1 v_flux v_speed region half energy v_speed"),
    ("momentum/chunk", "10 layers linear 1 0 1 angular rescale"),
    ("temp/csld", "1.0 2.0 0.5 4711"),
    ("temp/csvr", "1.0 2.0 0.5 4711"),
    ("adapt", "10 pair lj/cut epsilon * * v_flux scale yes reset no"),
    ("addforce", "1 0 0 every 2 region half"),
    ("ave/atom", "1 2 4 x c_property[*] v_speed"),
    ("ave/chunk", "1 2 4 layers vx density/number temp c_k norm sample ave window 3"),
    ("ave/correlate", "1 3 4 c_thermo_temp c_thermo_press type full prefactor 2"),
    (
        "ave/grid",
        "1 2 4 3 2 1 vx density/number temp c_k norm sample ave window 3 discard no adof 2 cdof 0 bias thermo_temp",
    ),
    ("atom/swap", "10 5 4711 2.0 types 1 1 semi-grand yes mu 0.5 -0.5 ke no region half"),
    ("ave/histo", "1 2 4 -1 1 10 vx mode vector beyond extra"),
    ("ave/histo/weight", "1 2 4 -1 1 10 vx c_k mode vector beyond end"),
    ("ave/time", "1 2 4 c_thermo_temp c_thermo_press[*] off 2 ave running start 8"),
    ("aveforce", "1 NULL 0 region half"),
    ("balance", "100 1.1 shift x 10 1.05 weight group 1 all 2.0 weight neigh 0.8 out none sort yes"),
    ("box/relax", "x 1.0 y 1.0 couple xy vmax 0.01 nreset 10 dilate partial fixedpoint 0 0 0"),
    ("controller", "10 0.5 1 0 0.1 c_thermo_temp 1.5 knob"),
    ("deform", "1 x scale 1.1"),
    ("deposit", "10 1 5 4711 region half near 1 attempt 20 id next vx -1 1 target 0 0 0 units box"),
    ("drag", "1 NULL 0 2.0 0.5"),
    ("dt/reset", "10 NULL 0.01 0.1 emax 1.0 units box"),
    ("ehex", "1 2.5 region half hex"),
    ("electron/stopping", "1.0 tests/lammps/stopping.part region half minneigh 1"),
    ("electron/stopping/fit", "1.0 0.002 1e-7"),
    ("evaporate", "10 5 half 4711"),
    (
        "gcmc",
        "10 5 5 1 4711 2.0 -1.0 0.5 region half pressure 1 fugacity_coeff 1 full_energy group all grouptype 1 all tfac_insert 1 overlap_cutoff 0.1 min 1 max 90 mcmoves 1 0 0",
    ),
    ("gravity", "1.0 vector 0 0 1"),
    ("halt", "10 tlimit > 100 error soft message no"),
    ("heat", "1 v_flux region half"),
    ("indent", "10.0 sphere 0 0 0 1.0 side out units box"),
    ("langevin", "1 1 1 5 scale 1 2.0 zero yes tally yes gjf no omega no angmom no"),
    ("lineforce", "1 0 0"),
    ("momentum", "10 linear 1 1 0 angular rescale"),
    ("move", "linear 1 NULL 0 units box"),
    ("msst", "x 28 q 200 mu 3 p0 1 v0 20 e0 -30 tscale 0.02 dftb no beta 0.5"),
    ("nph", "x 1 1 1"),
    ("nphug", "temp 1 1 1 x 4 4 1 drag 0.1 tchain 1 pchain 0"),
    ("npt", "temp 1 1 1 x 1 1 1"),
    ("numdiff", "10 1e-4"),
    ("numdiff/virial", "10 1e-6"),
    ("nve", ""),
    ("nve/limit", "0.1"),
    ("nvk", ""),
    ("nve/noforce", ""),
    ("nvt", "temp 1 1 1"),
    ("nvt/sllod", "temp 1 1 1 tchain 3 psllod yes"),
    ("oneway", "10 half -z"),
    ("planeforce", "1 0 0"),
    ("press/berendsen", "x 1 1 1"),
    ("press/langevin", "x 1 1 1 friction 2 temp 1 2 4711 dilate partial"),
    ("print", "10 text screen no"),
    ("propel/self", "velocity -1.5"),
    ("property/atom", "mol d_size i2_way 3 ghost yes"),
    ("recenter", "0.5 INIT NULL shift all units fraction"),
    ("rigid", "group 1 all force 1 off on on torque * on off on langevin 1 1 1 4711 reinit no"),
    ("rigid/nve", "single gravity g"),
    ("rigid/nve/small", "custom i_body reinit no"),
    ("rigid/nvt", "custom v_body temp 1 2 1 tparam 3 2 5 force 1* on on off"),
    ("rigid/nvt/small", "custom v_body temp 1 1 1"),
    ("rigid/small", "custom v_body langevin 1 1 1 4711"),
    ("setforce", "NULL 0 1 region half"),
    ("spring", "tether 1.0 0 NULL 0 1.0"),
    ("spring/self", "1.0 xy"),
    ("temp/berendsen", "1 1 1"),
    ("temp/rescale", "1 1 1 0.1 1"),
    ("thermal/conductivity", "10 z 20 swap 2"),
    ("ti/spring", "1.0 10 5 function 2"),
    ("vector", "10 c_thermo_temp c_thermo_press nmax 20"),
    ("viscosity", "10 x z 20 swap 2 vtarget INF"),
    ("viscous", "1.0 scale 1 2.0"),
    ("wall/flow", "x 0.5 1.0 4711 2 0.5 1.5"),
    ("wall/harmonic", "xlo EDGE 1 1 2.5 pbc yes"),
    ("wall/lepton", "xlo EDGE k*(r-rc)^2;k=v_flux 2.5 zhi 3 1/r 2.0 pbc yes"),
    ("wall/colloid", "xlo EDGE 1 1 2.5 pbc yes"),
    ("wall/lj93", "xlo EDGE 1 1 2.5 zhi 3 1 1 2.5 units box pbc yes"),
    ("wall/morse", "xlo EDGE 1 1 1 2.5 pbc yes"),
    ("wall/piston", "zlo pos 0.1 vel 1.0 ramp units box"),
    ("wall/reflect", "zhi EDGE zlo 0.1"),
    ("wall/reflect/stochastic", "ccl 5 zhi EDGE 1 0.1 0 0 0.5 0.5 0.5 zlo 0.1 1 0 0 0 1 0 0.2"),
    ("wall/region", "half morse 1 2 1 2.5"),
    ("wall/table", "spline 50 xlo EDGE tests/lammps/walls.part SOFT 2.5 pbc yes"),
    ("widom", "10 20 1 4711 0.75 region half full_energy"),
    ("wall/lj1043", "xlo EDGE 1 1 2.5 pbc yes"),
    ("wall/lj126", "xlo EDGE 1 1 2.5 pbc yes"),
];

/// Words that fixes refuse, and the word that is marked.
const FIX_REFUSED: [(&str, &str, &str); 189] = [
    ("propel/self", "dipole 1.0", "dipole"),
    ("propel/self", "along 1.0", "along"),
    ("ti/spring", "0 10 5", "0"),
    ("ti/spring", "1.0 0 5", "0"),
    ("ti/spring", "1.0 10 -1", "-1"),
    ("ti/spring", "1.0 10 5 function 3", "3"),
    ("pair", "0 eam/alloy rho 0", "0"),
    ("pair", "10 eam rho 0", "eam"),
    ("pair", "10 lj/cut rho 0", "lj/cut"),
    ("pair", "10 eam/alloy rhob 0", "rhob"),
    ("pair", "10 eam/alloy fp 0 rho 1", "1"),
    ("efield", "v_speed 0 0 potential v_speed energy v_speed", "energy"),
    ("efield", "0 0 0 every 5", "every"),
    ("ave/moments", "1 2 5 c_thermo_temp skew", "skew"),
    ("ave/moments", "1 4 5 c_thermo_temp median", "median"),
    ("bond/break", "10 2 1.2", "2"),
    ("bond/break", "10 1 1.2 prob 1.5 4711", "1.5"),
    ("bond/create", "10 1 2 1.2 1", "2"),
    ("bond/create", "10 1 1 1.2 1 atype 1", "atype"),
    ("bond/create", "10 1 1 1.2 1 iparam 2 1", "fix"),
    ("brownian", "1.0 4711 rng none", "fix"),
    ("brownian", "1.0 4711 gamma_r 1", "gamma_r"),
    ("restrain", "angle 1 2 3 10 10 120", "angle"),
    ("restrain", "bond 1 9999 10 10 1", "9999"),
    ("store/state", "0 radius", "radius"),
    ("store/state", "0 speed", "speed"),
    ("efield", "1 0 0 potential v_own", "potential"),
    ("efield", "1 0 0 energy v_own", "energy"),
    ("momentum/chunk", "10 k linear 1 1 1", "k"),
    ("temp/csld", "1 1 0.5 0", "0"),
    ("temp/csvr", "1 1 0.5 0", "0"),
    ("adapt", "1 reset yes", "fix"),
    ("adapt", "1 bond harmonic k 1 v_flux", "bond"),
    ("adapt", "1 pair lj/cut cutoff 1 1 v_flux", "cutoff"),
    ("adapt", "1 pair lj/cut sigma 1 1 2.0", "2.0"),
    ("adapt", "1 atom charge v_flux", "charge"),
    ("adapt", "1 atom diameter v_flux", "diameter"),
    ("adapt", "1 kspace v_flux", "kspace"),
    ("indent", "1 cone x 0 0 1 1 0", ""),
    ("langevin", "1 1 1 5 omega yes", "omega"),
    ("langevin", "1 1 1 5 tally yes gjf vfull", "gjf"),
    ("deform", "1 xy erate 0.1", "xy"),
    ("nvt/sllod", "temp 1 1 1 iso 1 1 1", "iso"),
    ("ave/atom", "1 2 4 c_thermo_temp", "c_thermo_temp"),
    ("ave/atom", "1 2 4", ""),
    ("ave/atom", "3 2 4 vx", "4"),
    ("ave/chunk", "1 2 4 property vx", "property"),
    ("ave/chunk", "1 2 4 layers speed", "speed"),
    ("ave/chunk", "1 2 4 layers vx norm half", "half"),
    ("ave/chunk", "1 2 4 layers vx bias k", "k"),
    ("ave/correlate", "2 3 5 c_thermo_temp", "5"),
    ("ave/correlate", "2 9 10 c_thermo_temp", "10"),
    ("ave/correlate", "1 1 1 c_k", "c_k"),
    ("ave/correlate", "1 1 1 c_thermo_temp ave window 2", "ave"),
    ("ave/grid", "1 2 4 3 2 0 vx", "0"),
    ("ave/grid", "1 2 4 3 2 1", ""),
    ("ave/grid", "1 2 4 3 2 1 speed", "speed"),
    ("ave/grid", "1 2 4 3 2 1 vx c_cells:grid:data[1]", "fix"),
    ("ave/grid", "1 2 4 3 2 1 c_cells:grid:data", "c_cells:grid:data"),
    ("ave/grid", "1 2 4 3 2 1 c_cells:grid:data[3]", "c_cells:grid:data[3]"),
    ("ave/grid", "1 2 4 3 2 1 c_cells:grid:count", "c_cells:grid:count"),
    ("ave/grid", "1 2 4 3 2 1 c_cells:mesh:data[1]", "c_cells:mesh:data[1]"),
    ("ave/grid", "1 2 4 3 2 1 c_k:grid:data", "c_k:grid:data"),
    ("ave/grid", "1 2 4 3 2 2 c_cells:grid:data[1]", "c_cells:grid:data[1]"),
    ("ave/grid", "1 2 4 3 2 1 c_cells:grid:data[*] norm all", "norm"),
    ("atom/swap", "0 5 4711 2.0 types 1 1", "0"),
    ("atom/swap", "1 5 4711 2.0 types 1 2", "2"),
    ("atom/swap", "1 5 4711 2.0 types 1 1 mu 1 2", "mu"),
    ("atom/swap", "1 5 4711 2.0 types 1 1 semi-grand yes mu 1", "mu"),
    ("atom/swap", "1 5 4711 2.0 types 1 1 region nowhere", "nowhere"),
    ("ave/histo", "1 1 1 2 2 5 vx", "2"),
    ("ave/histo", "1 1 1 0 2 0 vx", "0"),
    ("ave/histo", "1 1 1 0 2 5 c_k kind global", "c_k"),
    ("ave/histo/weight", "1 1 1 0 2 5 vx", "vx"),
    ("ave/histo/weight", "1 1 1 0 2 5 c_property[*] c_k mode vector", "c_k"),
    ("ave/time", "0 1 1 c_thermo_temp", "0"),
    ("ave/time", "1 5 4 c_thermo_temp", "4"),
    ("ave/time", "1 1 1 c_k", "c_k"),
    ("ave/time", "1 1 1 c_thermo_temp off 2", "2"),
    ("ave/time", "1 1 1 c_thermo_temp format %d", "%d"),
    ("ave/time", "1 1 1 c_thermo_temp file nowhere/at/all", "nowhere/at/all"),
    ("balance", "100 1.1 bisection", "bisection"),
    ("balance", "100 1.1 shift xu 5 1.1", "xu"),
    ("balance", "100 1.1 shift xx 5 1.1", "xx"),
    ("balance", "100 1.1 shift x 5 0.9", "0.9"),
    ("balance", "100 1.1 rcb", "rcb"),
    ("balance", "100 1.1 shift x 5 1.1 weight var flux", "flux"),
    ("balance", "100 1.1 shift x 5 1.1 weight store size", "size"),
    ("balance", "100 1.1 shift x 5 1.1 weight group 2 all 1.0", ""),
    ("box/relax", "vmax 0.01", "fix"),
    ("box/relax", "iso 1.0 vmax 0", "0"),
    ("box/relax", "iso 1.0 nreset -1", "-1"),
    ("box/relax", "tri 1.0", "fix"),
    ("box/relax", "x 1.0 y 2.0 couple xy", "fix"),
    ("box/relax", "iso", ""),
    ("controller", "10 0.5 1 0 0.1 c_thermo_temp 1.5 flux", "flux"),
    ("controller", "10 0.5 1 0 0.1 c_k 1.5 knob", "c_k"),
    ("deposit", "10 1 5 0 region half", "0"),
    ("deposit", "10 2 5 4711 region half", "2"),
    ("deposit", "10 1 5 4711 region outside", "outside"),
    ("deposit", "10 1 5 4711 region half id least", "least"),
    ("deposit", "10 0 5 4711 region half mol water", "water"),
    ("deposit", "10 1 5 4711 region half rigid 1", "1"),
    ("deposit", "10 1 5 4711 region half orient 0 0 1", "orient"),
    ("deposit", "10 1 5 4711", ""),
    ("dt/reset", "0 NULL NULL 0.1", "0"),
    ("dt/reset", "1 0.01 0.001 0.1", "0.001"),
    ("dt/reset", "1 NULL NULL 0", "0"),
    ("ehex", "1 2.5 constrain", "constrain"),
    ("electron/stopping", "1.0 tests/lammps/stopping.part minneigh 5", "5"),
    ("electron/stopping/fit", "0.0 0.002 1e-7", "0.0"),
    ("electron/stopping", "1.0 tests/lammps/nothing.part", "tests/lammps/nothing.part"),
    ("evaporate", "10 5 half 4711 molecule yes", "molecule"),
    ("gcmc", "0 5 5 1 4711 2.0 -1.0 0.5", "0"),
    ("gcmc", "1 5 5 2 4711 2.0 -1.0 0.5", "2"),
    ("gcmc", "1 5 5 1 0 2.0 -1.0 0.5", "0"),
    ("gcmc", "1 5 5 1 4711 0 -1.0 0.5", "0"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 -0.5", "-0.5"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 0.5 region outside", "outside"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 0.5 mcmoves 1 1 0", "1"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 0.5 mol water", "mol"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 0.5 charge 1", "charge"),
    ("gcmc", "1 5 5 1 4711 2.0 -1.0 0.5 pressure 0", "0"),
    ("widom", "10 20 2 4711 0.75", "2"),
    ("widom", "10 20 1 4711 -0.75", "-0.75"),
    ("widom", "10 20 1 4711 0.75 mol water", "mol"),
    ("heat", "1 v_word", "v_word"),
    ("msst", "w 28", "w"),
    ("msst", "x 0", "0"),
    ("msst", "x 28 mu -1", "-1"),
    ("msst", "x 28 tscale 1.5", "1.5"),
    ("msst", "x 28 v0 0", "0"),
    ("msst", "x 28 dftb yes", "dftb"),
    ("nphug", "temp 1 1 1 x 4 5 1", "fix"),
    ("nphug", "temp 1 1 1 x 4 4 1 y 4 4 1", "fix"),
    ("nphug", "x 4 4 1", "fix"),
    ("numdiff", "0 1e-4", "0"),
    ("numdiff", "10 0", "0"),
    ("numdiff/virial", "10 -1e-6", "-1e-6"),
    ("oneway", "0 half x", "0"),
    ("oneway", "10 half xy", "xy"),
    ("heat", "1 2 region nobody", "nobody"),
    ("rigid", "double", "double"),
    ("rigid", "molecule", "molecule"),
    ("rigid", "group", ""),
    ("rigid", "group 2 all nobody", "nobody"),
    ("rigid", "group 2 all all", "all"),
    ("rigid", "custom c_k", "c_k"),
    ("rigid", "custom v_flux", "v_flux"),
    ("rigid", "custom v_own", "custom"),
    ("rigid", "single force 2 on on on", "2"),
    ("rigid", "single force 1 on maybe on", "maybe"),
    ("rigid", "single torque 1 on on", ""),
    ("rigid", "single temp 1 1 1", "temp"),
    ("rigid", "single mol water", "mol"),
    ("rigid", "single langevin 1 1 0 4711", "0"),
    ("rigid", "single langevin 1 1 1 0", "0"),
    ("rigid", "single infile nowhere", "nowhere"),
    ("rigid", "single gravity half", "half"),
    ("rigid/small", "single", "single"),
    ("rigid/small", "custom v_body force 1 on on on", "force"),
    ("rigid/nvt", "single", ""),
    ("rigid/nvt", "single temp 1 1 1 tparam 3 1 4", "4"),
    ("property/atom", "ghost yes", "ghost"),
    ("property/atom", "size", "size"),
    ("property/atom", "rmass", "rmass"),
    ("property/atom", "d_", "d_"),
    ("property/atom", "d_size d2_size 2", "d2_size"),
    ("property/atom", "i2_size 0", "0"),
    ("property/atom", "mol ghost maybe", "maybe"),
    ("thermal/conductivity", "10 z 21", "21"),
    ("thermal/conductivity", "10 w 20", "w"),
    ("vector", "10 c_thermo_temp nmax 0", "0"),
    ("viscosity", "10 x z 20 vtarget -1", "-1"),
    ("wall/flow", "z 0.5 1.0 4711 1 1", "z"),
    ("wall/flow", "x -0.5 1.0 4711 1 1", "-0.5"),
    ("wall/flow", "x 0.5 1.0 4711 2 1 0.5", "0.5"),
    ("wall/piston", "zhi vel 1.0", "zhi"),
    ("wall/piston", "zlo vel 1.0 temp 1 1 4711 1", "temp"),
    ("wall/reflect/stochastic", "specular 4711 zhi EDGE 1 0 0 0", "specular"),
    ("wall/reflect/stochastic", "ccl 4711 zhi EDGE 1 0 0 0 0.5 0.5 2", "2"),
    ("wall/reflect/stochastic", "diffusive 4711 zhi EDGE 1 0 0 0.1", "0.1"),
    ("wall/reflect/stochastic", "diffusive 4711 xhi EDGE 1 0 0 0", "xhi"),
    ("wall/lepton", "zhi EDGE k*r 2.5", "k"),
    ("wall/lepton", "zhi EDGE v_speed*r 2.5", "v_speed*r"),
    ("wall/table", "cubic 50 zhi EDGE tests/lammps/walls.part SOFT 2.5", "cubic"),
    ("wall/table", "spline 50 zhi EDGE tests/lammps/walls.part SOFT 3.5", "3.5"),
    ("wall/region", "nobody lj93 1 1 2.5", "nobody"),
    ("wall/region", "half colloid 1 1 2.5", "colloid"),
];

fn system() -> Session {
    system_for("")
}

/// Styles that want bonds.
const BONDED: [&str; 6] =
    ["aggregate/atom", "bond", "bond/break", "bond/create", "bond/local", "fragment/atom"];

/// One that a style accepts.
fn system_for(style: &str) -> Session {
    let mut session = session();
    let boundary = match style {
        "msst" => "boundary p p p",
        "wall/piston" => "boundary p p s",
        _ => "boundary p p f",
    };
    apply(&mut session, clamps::commands::domain::boundary, boundary).expect("boundaries");
    if style == "pair" {
        apply(&mut session, clamps::commands::units::units, "units metal").expect("units");
    }
    let bonded = BONDED.contains(&style);
    let round = style == "wall/colloid";
    if bonded || round || style == "efield" {
        let atoms = if bonded {
            "bond"
        } else if round {
            "sphere"
        } else {
            "charge"
        };
        let line = format!("atom_style {atoms}");
        apply(&mut session, clamps::commands::topology::atom_style, &line).expect("an atom style");
    }
    apply(&mut session, clamps::commands::lattice::lattice, "lattice fcc 0.8442").expect("a lattice");
    apply(&mut session, region, "region b block 0 2 0 2 0 2").expect("a region");
    apply(&mut session, region, "region half block 0 1 0 2 0 2").expect("a region");
    apply(&mut session, region, "region outside block 1 3 0 2 0 2").expect("a region");
    let types = if bonded { "bond/types 1" } else { "" };
    apply(&mut session, create::create_box, &format!("create_box 1 b {types}")).expect("a box");
    apply(&mut session, create::create_atoms, "create_atoms 1 box").expect("atoms");
    match round {
        true => session.follow_spheres().expect("masses"),
        false => apply(&mut session, create::mass, "mass 1 1").expect("a mass"),
    }
    let pairs = match style {
        "pair" => [
            "pair_style hybrid/overlay lj/cut 1.6 eam/alloy",
            "pair_coeff 1 1 lj/cut 1 1",
            "pair_coeff * * eam/alloy tests/lammps/eam_alloy.part Aa",
        ],
        _ => ["pair_style lj/cut 1.6", "pair_coeff 1 1 1 1", "pair_coeff 1 1 1 1"],
    };
    for (handler, line) in [
        (clamps::commands::pair::pair_style as commands::Handler, pairs[0]),
        (clamps::session::coefficients::pair_coeff, pairs[1]),
        (clamps::session::coefficients::pair_coeff, pairs[2]),
        (clamps::commands::compute::compute, "compute layers all chunk/atom bin/1d x lower 0.5"),
        (clamps::commands::compute::compute, "compute where all com/chunk layers"),
        (clamps::commands::compute::compute, "compute many all property/chunk layers count"),
        (clamps::commands::compute::compute, "compute property all property/atom x vx"),
        (clamps::commands::compute::compute, "compute k all ke/atom"),
        (clamps::commands::compute::compute, "compute cells all property/grid 3 2 1 id x"),
        (clamps::commands::compute::compute, "compute p all pe/atom"),
        (clamps::commands::compute::compute, "compute s all stress/atom NULL virial"),
        (clamps::commands::compute::compute, "compute virial all pressure NULL virial"),
        (clamps::commands::fix::fix, "fix g all gravity 1 vector 0 0 -1"),
        (clamps::commands::fix::fix, "fix own all property/atom i_body"),
        (variable, "variable speed atom vx+vy"),
        (variable, "variable word string x"),
        (variable, "variable own atom id"),
        (variable, "variable body atom x<1"),
        (variable, "variable flux equal 2+step"),
        (variable, "variable knob internal 1"),
    ] {
        apply(&mut session, handler, line).expect(line);
    }
    if bonded {
        apply(&mut session, clamps::commands::bond::bond_style, "bond_style hybrid zero harmonic")
            .expect("a style");
        apply(&mut session, clamps::session::coefficients::bond_coeff, "bond_coeff 1 harmonic 1 1")
            .expect("numbers");
    }
    session
}

/// Styles whose values are made from energies and virials, which need a run.
const OF_RUNS: [&str; 7] =
    ["centroid/stress/atom", "pair", "pe", "pe/atom", "pressure", "stress/atom", "heat/flux"];

/// Styles that look at forces, which are there after a run.
const OF_FORCES: [&str; 3] = ["stress/mop", "stress/mop/profile", "torque/chunk"];

#[test]
fn pair_styles_are_documented() {
    use clamps::potentials::pair::registry::{MANY_BODY_STYLES, STYLES};
    let page = include_str!("../docs/commands.md");
    for (style, _) in STYLES.iter().chain(MANY_BODY_STYLES) {
        let there = page.contains(&format!("| `{style}`")) || page.contains(&format!("| `{style} "));
        assert!(there, "docs/commands.md does not mention pair style {style}");
    }
}

#[test]
fn bond_styles_are_documented() {
    let page = include_str!("../docs/commands.md");
    for (style, _) in clamps::potentials::bond::registry::STYLES {
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
        let mut session = system_for(style);
        let words = ARGUMENTS.iter().find(|(name, _)| name == style).map_or("", |(_, words)| words);
        apply(&mut session, clamps::commands::compute::compute, &format!("compute c all {style} {words}"))
            .expect(style);
        let value = session.now().evaluate("c");
        let later = OF_RUNS.contains(style) || OF_FORCES.contains(style);
        assert_eq!(value.is_ok(), !later, "{style}: {value:?}");
        if let Ok(values) = value {
            let shape = session.now().compute("c").expect("just defined").shape();
            assert_eq!(values.shape(), shape, "{style}");
        }
        assert_eq!(session.needs_tally(&reference("c_c")), OF_RUNS.contains(style), "{style}");
        let (marked, message) = fails(
            &mut session,
            clamps::commands::compute::compute,
            &format!("compute d all {style} {words} w"),
        );
        assert_eq!(marked, "w", "{style}: {message}");
        apply(&mut session, clamps::commands::compute::uncompute, "uncompute c").expect(style);
    }
}

#[test]
fn computes_refuse_wrong_words() {
    for (style, words, wrong) in REFUSED {
        let (marked, message) = fails(
            &mut system_for(style),
            clamps::commands::compute::compute,
            &format!("compute c all {style} {words}"),
        );
        assert_eq!(marked, wrong, "{style} {words}: {message}");
    }
}

#[test]
fn fixes_are_documented() {
    let page = include_str!("../docs/commands.md");
    for (style, _) in clamps::fixes::registry::STYLES {
        assert!(page.contains(&format!("`{style}")), "docs/commands.md does not mention fix {style}");
    }
}

#[test]
fn fixes_are_read_and_refuse_what_does_not_fit() {
    for (style, _) in clamps::fixes::registry::STYLES.iter().filter(|(style, _)| *style != "enforce2d") {
        let mut session = system_for(style);
        let words = FIX_ARGUMENTS.iter().find(|(name, _)| name == style);
        let (_, words) = words.unwrap_or_else(|| panic!("no arguments are known for fix {style}"));
        apply(&mut session, clamps::commands::fix::fix, &format!("fix f all {style} {words}")).expect(style);
        let values = session.now().fix("f").expect("just defined").values(&session.now());
        let shape = session.now().fix("f").expect("just defined").shape();
        // Sums over atoms are known when something has run.
        let later = values.as_ref().is_err_and(|error| error.message == "its values are not known yet");
        assert!(shape.is_none() || values.is_ok() || later, "{style}: {values:?}");
        // Under the same name: names of properties are not taken twice.
        let (marked, message) =
            fails(&mut session, clamps::commands::fix::fix, &format!("fix f all {style} {words} w"));
        assert_eq!(marked, "w", "{style}: {message}");
        apply(&mut session, clamps::commands::fix::unfix, "unfix f").expect(style);
    }
}

/// The styles of the table on restart files for which they bring something back: `compute`s or `fix`es.
fn kept_by_restart_files(kind: &str) -> BTreeSet<&'static str> {
    let page = include_str!("../docs/commands.md");
    let (_, table) = page.split_once("| style | a restart file brings back |").expect("a table");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<_>>());
    let rows = cells.filter(|cells| cells[1].starts_with(kind) && cells[2] != "nothing");
    rows.flat_map(|cells| cells[1].split('`').skip(1).step_by(2)).collect()
}

#[test]
fn the_table_on_restart_files_names_what_comes_back() {
    let keeps = |style: &str| {
        let mut session = system_for(style);
        let words = ARGUMENTS.iter().find(|(name, _)| *name == style).map_or("", |(_, words)| words);
        apply(&mut session, clamps::commands::compute::compute, &format!("compute c all {style} {words}"))
            .expect(style);
        let state = session.computes.get("c").expect("just defined").restart_state();
        // It has an origin from its first run on.
        state.is_some() || style == "msd/chunk"
    };
    let computes = STYLES.iter().map(|(style, _)| *style);
    assert_eq!(kept_by_restart_files("compute"), computes.filter(|style| keeps(style)).collect());
    let fixes = FIX_ARGUMENTS.iter().filter(|(style, words)| {
        let mut session = system_for(style);
        // It keeps something with this keyword only.
        let words = if *style == "langevin" { "1 1 1 5 gjf vhalf" } else { *words };
        apply(&mut session, clamps::commands::fix::fix, &format!("fix f all {style} {words}")).expect(style);
        let fix = session.fixes.iter().find(|fix| fix.header().id == "f").expect("just defined");
        let state = fix.kept().and_then(|kept| kept.restart_state());
        // Properties are kept with the atoms; numbers are changed amid a run only, and bodies made when it begins.
        let later = *style == "adapt" || style.starts_with("rigid");
        state.is_some() || !fix.properties().is_empty() || later
    });
    assert_eq!(kept_by_restart_files("fix"), fixes.map(|(style, _)| *style).collect());
}

#[test]
fn fixes_refuse_wrong_words() {
    for (style, words, wrong) in FIX_REFUSED {
        let (marked, message) =
            fails(&mut system_for(style), clamps::commands::fix::fix, &format!("fix f all {style} {words}"));
        assert_eq!(marked, wrong, "{style} {words}: {message}");
    }
}

#[test]
fn numbers_that_are_none_are_refused_and_words_may_be_missing() {
    let computes = ARGUMENTS
        .iter()
        .map(|words| (clamps::commands::compute::compute as commands::Handler, "compute", words));
    let fixes =
        FIX_ARGUMENTS.iter().map(|words| (clamps::commands::fix::fix as commands::Handler, "fix", words));
    let (mut refused, mut wrong) = (0, Vec::new());
    for (handler, name, (style, words)) in computes.chain(fixes) {
        let words: Vec<&str> = words.split_whitespace().collect();
        for place in 0..words.len() {
            let line = format!("{name} new all {style} {}", words[..place].join(" "));
            if let Err(error) = apply(&mut system_for(style), handler, &line)
                && error.at.is_none()
            {
                wrong.push(format!("{line}: no place: {}", error.message));
            }
            for other in ["1x", "nan", "1e999"].iter().filter(|_| words[place].parse::<f64>().is_ok()) {
                let mut words = words.clone();
                words[place] = other;
                let line = format!("{name} new all {style} {}", words.join(" "));
                match apply(&mut system_for(style), handler, &line) {
                    Ok(()) => wrong.push(format!("{line} is accepted")),
                    Err(error) if !error.message.contains(other) => {
                        wrong.push(format!("{line}: {}", error.message));
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > 300, "{refused}");
}

fn variable(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
    session.script.variables.define(args)
}

fn reference(text: &str) -> Reference {
    Reference::parse(text).expect(text)
}

#[test]
fn a_step_tallies_for_what_is_made_of_energies_at_any_remove() {
    let mut session = system();
    for (handler, line) in [
        (variable as commands::Handler, "variable plain equal step*dt+lx+c_thermo_temp"),
        (variable, "variable hot equal v_cold+temp"),
        (variable, "variable cold equal 1"),
        (variable, "variable far atom c_property[1]*v_energy"),
        (variable, "variable energy equal c_sum"),
        (variable, "variable round equal v_circle"),
        (variable, "variable circle equal v_round"),
        (clamps::commands::compute::compute, "compute sum all reduce sum c_p"),
        (clamps::commands::compute::compute, "compute moved all reduce sum c_property[1] vx"),
        (clamps::commands::compute::compute, "compute parts all chunk/atom v_far"),
        (clamps::commands::compute::compute, "compute sizes all property/chunk parts count"),
    ] {
        apply(&mut session, handler, line).expect(line);
    }
    for name in
        ["v_plain", "v_cold", "v_round", "c_moved", "c_layers", "c_thermo_temp", "c_nothing", "f_none"]
    {
        assert!(!session.needs_tally(&reference(name)), "{name}");
    }
    for name in ["v_hot", "v_far", "v_energy", "c_sum", "c_parts", "c_sizes[1]", "c_thermo_press[2]", "c_p"] {
        assert!(session.needs_tally(&reference(name)), "{name}");
    }
}

#[test]
fn inputs_point_at_their_word_whenever_they_fail() {
    let mut session = system();
    let line = "take c_property[*] c_thermo_temp c_layers c_k v_none c_rows c_rows[2] 7";
    apply(&mut session, clamps::commands::compute::compute, "compute rows all com/chunk layers")
        .expect("a compute");
    let mut inputs = Vec::new();
    let read = |session: &mut Session, args: &mut Args<'_>| {
        assert_eq!(Input::take(session, args, Form::PerAtom)?.len(), 2);
        let number = Input::take(session, args, Form::Number)?.remove(0);
        assert!(matches!(number.get(&session.now())?, Measured::Number(t) if t == 0.0));
        let atoms = Input::take(session, args, Form::PerAtom)?.remove(0);
        assert!(matches!(atoms.get(&session.now())?, Measured::PerAtom(chunks) if chunks.len() == 32));
        let mut wrong = Vec::new();
        for form in [Form::Number, Form::PerAtom, Form::Vector] {
            wrong.push(Input::take(session, args, form).expect_err("not of this form"));
        }
        let column = Input::take(session, args, Form::Vector)?.remove(0);
        assert!(matches!(column.get(&session.now())?, Measured::Vector(y) if y.len() == 4));
        wrong.push(Input::take(session, args, Form::Number).expect_err("no reference"));
        apply(session, clamps::commands::compute::uncompute, "uncompute layers")?;
        wrong.push(atoms.get(&session.now()).expect_err("it is gone"));
        inputs = wrong;
        Ok(())
    };
    apply(&mut session, read, line).expect("what there is has values");
    let marked: Vec<String> = inputs
        .iter()
        .map(|error| {
            let (source, span) = error.at.as_ref().expect("a place");
            source.text[span.clone()].to_owned()
        })
        .collect();
    assert_eq!(marked, ["c_k", "v_none", "c_rows", "7", "c_layers"]);
}
