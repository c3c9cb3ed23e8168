//! Pictures of `dump image`, beside those of LAMMPS (22 Jul 2025).

mod commands;

#[macro_use]
mod common;

use clamps::session::Session;
use commands::{Handler, fails, session};

/// What runs a line.
fn handler(line: &str) -> Handler {
    use clamps::commands::{create, dump, dump_modify, region};
    match line.split(' ').next() {
        Some("region") => region::region,
        Some("create_box") => create::create_box,
        Some("create_atoms") => create::create_atoms,
        Some("write_dump") => dump::write_dump,
        Some("dump") => dump::dump,
        Some("atom_style") => clamps::commands::topology::atom_style,
        Some("read_data") => clamps::io::data_file::read_data,
        Some("dump_modify") => dump_modify::dump_modify,
        _ => panic!("{line}"),
    }
}

fn apply(session: &mut Session, line: &str) {
    commands::apply(session, handler(line), line).expect(line);
}

/// Width, and the red, green and blue of each pixel, of a PPM file.
fn ppm(bytes: &[u8]) -> (usize, Vec<[u8; 3]>) {
    let mut lines = bytes.splitn(4, |&byte| byte == b'\n');
    assert_eq!(lines.next(), Some(&b"P6"[..]));
    let sizes = String::from_utf8(lines.next().expect("sizes").to_vec()).expect("text");
    let (width, height) = sizes.split_once(' ').expect("two");
    assert_eq!(lines.next(), Some(&b"255"[..]));
    let pixels = lines.next().expect("pixels").chunks(3).map(|part| [part[0], part[1], part[2]]);
    let (width, height): (usize, usize) =
        (width.parse().expect("a number"), height.parse().expect("a number"));
    let pixels: Vec<_> = pixels.collect();
    assert_eq!(pixels.len(), width * height);
    (width, pixels)
}

/// The first and last column and row of pixels that are much greener than red or blue, and how many there are.
fn green((width, pixels): &(usize, Vec<[u8; 3]>)) -> [usize; 5] {
    let is_green = |[r, g, b]: [u8; 3]| i32::from(g) > i32::from(r.max(b)) + 20;
    let found: Vec<usize> = (0..pixels.len()).filter(|&k| is_green(pixels[k])).collect();
    let ends = |part: fn(usize, usize) -> usize| {
        let all = || found.iter().map(|&k| part(k, *width));
        [all().min().expect("some"), all().max().expect("some")]
    };
    let ([left, right], [top, bottom]) = (ends(|k, width| k % width), ends(|k, width| k / width));
    [left, right, top, bottom, found.len()]
}

/// LAMMPS: region block 0 8 0 8 0 8; create_box 2; create_atoms 1 single 2 2 2, 2 single 6 6 6, 1 single 6 2 4; then
/// dump image type type size 200 200 box no 0 and the view; pixels of its PPM files.
#[test]
fn spheres_are_where_lammps_draws_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    for line in [
        "region b block 0 8 0 8 0 8",
        "create_box 2 b",
        "create_atoms 1 single 2 2 2",
        "create_atoms 2 single 6 6 6",
        "create_atoms 1 single 6 2 4",
    ] {
        apply(&mut session, line);
    }
    let mut picture = |options: &str| {
        let line = format!("write_dump all image {} type type {options}", file.display());
        apply(&mut session, &line);
        ppm(&std::fs::read(&file).expect("written"))
    };
    for (view, place) in [
        ("view 0 0", [119, 131, 118, 129, 117]),
        ("view 0 90", [69, 81, 118, 129, 117]),
        ("view 90 0 up 1 0 0", [119, 131, 68, 79, 117]),
        ("view 180 0", [119, 131, 68, 79, 117]),
        ("view 90 0 up -1 0 0", [69, 81, 118, 129, 117]),
        ("view 180 0 up 0 1 0", [69, 81, 68, 79, 117]),
    ] {
        let found = picture(&format!("size 200 200 {view} box no 0"));
        assert_eq!(green(&found), place, "{view}");
    }
    let found = picture("size 200 200 view 0 0 box no 0");
    // The middle of the first atom and of the second one.
    assert_eq!(found.1[74 * 200 + 75], [255, 40, 40]);
    assert_eq!(found.1[124 * 200 + 125], [40, 161, 40]);
    // With the box, which is in front of nothing here.
    let found = picture("size 200 150 view 60 30 zoom 1.2");
    assert_eq!(green(&found), [103, 113, 65, 75, 96]);
    assert_eq!(found.1[78 * 200 + 92], [255, 34, 34]);
    let found = picture("size 200 200 view 0 0 box no 0 modify acolor 1 orange adiam 2 2.5");
    assert_eq!(green(&found), [110, 140, 109, 138, 745]);
}

/// CSS Color Module Level 4: gray is 128 128 128, lightgray 211 211 211, rebeccapurple 102 51 153 and so on; each gray is a grey, too.
#[test]
fn names_of_colours_are_those_of_css() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    for line in ["region b block 0 8 0 8 0 8", "create_box 1 b", "create_atoms 1 single 4 4 4"] {
        apply(&mut session, line);
    }
    for (names, value) in [
        ("gray grey", [128, 128, 128]),
        ("darkgray darkgrey", [169, 169, 169]),
        ("dimgray dimgrey", [105, 105, 105]),
        ("lightgray lightgrey", [211, 211, 211]),
        ("slategray slategrey", [112, 128, 144]),
        ("darkslategray darkslategrey", [47, 79, 79]),
        ("lightslategray lightslategrey", [119, 136, 153]),
        ("rebeccapurple", [102, 51, 153]),
    ] {
        for name in names.split(' ') {
            let options = format!("size 20 20 box no 0 modify backcolor {name}");
            apply(&mut session, &format!("write_dump all image {} type type {options}", file.display()));
            assert_eq!(ppm(&std::fs::read(&file).expect("written")).1[0], value, "{name}");
        }
    }
}

/// LAMMPS: dimension 2; region block 0 8 0 4 -0.5 0.5; create_box 2; create_atoms 1 single 2 1 0, 2 single 6 3 0; then dump image type type
/// size 200 200. Flat systems are seen from above unless the script says otherwise, and their box has a thickness.
#[test]
fn flat_systems_are_seen_as_in_lammps() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    session.system.dimension = 2;
    for line in [
        "region b block 0 8 0 4 -0.5 0.5",
        "create_box 2 b",
        "create_atoms 1 single 2 1 0",
        "create_atoms 2 single 6 3 0",
    ] {
        apply(&mut session, line);
    }
    let mut picture = |options: &str| {
        let line = format!("write_dump all image {} type type size 200 200 {options}", file.display());
        apply(&mut session, &line);
        ppm(&std::fs::read(&file).expect("written"))
    };
    for (view, place) in [
        ("", [119, 131, 81, 92, 122]),
        ("view 60 30", [108, 120, 91, 102, 120]),
        ("view 0 90", [119, 131, 81, 92, 122]),
    ] {
        assert_eq!(green(&picture(&format!("box no 0 {view}"))), place, "{view}");
    }
    assert_eq!(lit(&picture("atom no box yes 0.02 view 60 30")), [67, 133, 57, 141, 477]);
}

/// The first and last column and row of pixels that are not black, and how many there are, of 200 by 200.
fn lit((_, pixels): &(usize, Vec<[u8; 3]>)) -> [usize; 5] {
    let lit: Vec<usize> =
        (0..pixels.len()).filter(|&k| pixels[k].into_iter().any(|part| part > 20)).collect();
    let ends = |part: fn(usize) -> usize| {
        let all = || lit.iter().map(|&k| part(k));
        [all().min().expect("some"), all().max().expect("some")]
    };
    let ([left, right], [top, bottom]) = (ends(|k| k % 200), ends(|k| k / 200));
    [left, right, top, bottom, lit.len()]
}

/// LAMMPS: region prism 0 6 0 8 0 7 3 0 0. Rods are as thick as a part of the shortest side of the block around the box.
#[test]
fn boxes_that_lean_have_the_rods_of_lammps() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    for line in ["region b prism 0 6 0 8 0 7 3 0 0", "create_box 1 b", "create_atoms 1 single 1 1 1"] {
        apply(&mut session, line);
    }
    for (options, found) in
        [("box yes 0.1", [52, 148, 46, 152, 2461]), ("box no 0 axes yes 0.5 0.1", [42, 93, 36, 76, 652])]
    {
        let line = format!(
            "write_dump all image {} type type size 200 200 atom no view 0 0 {options}",
            file.display()
        );
        apply(&mut session, &line);
        assert_eq!(lit(&ppm(&std::fs::read(&file).expect("written"))), found, "{options}");
    }
}

/// Four atoms in a row with three bonds of two types.
const BONDED: &str = "two types of bonds\n\n4 atoms\n3 bonds\n2 atom types\n2 bond types\n\n0 6 xlo xhi\n0 6 ylo yhi\n0 6 zlo zhi\n\n\
    Masses\n\n1 1\n2 1\n\nAtoms # bond\n\n1 1 1 1.0 1.0 1.0\n2 1 2 2.5 1.5 2.0\n3 1 1 4.0 3.0 2.5\n4 1 2 5.0 4.5 4.5\n\n\
    Bonds\n\n1 1 1 2\n2 2 2 3\n3 1 3 4\n";

/// The pictures of LAMMPS in tests/data/images: atom_style bond, read_data of that file, then write_dump all image FILE type type size 64 64 box no 0
/// and these words. Bonds are drawn where there are bond types, from atom to atom with round ends.
#[test]
fn bonds_are_those_of_lammps() {
    let folder = tempfile::tempdir().expect("a folder");
    let [data, file] = ["data.b", "x.ppm"].map(|name| folder.path().join(name));
    std::fs::write(&data, BONDED).expect("written");
    let mut session = session();
    apply(&mut session, "atom_style bond");
    apply(&mut session, &format!("read_data {}", data.display()));
    for (name, words) in [
        ("bonds", ""),
        ("bonds_of_atoms", "atom no bond atom 0.7"),
        ("bonds_of_types", "atom no bond type 0.7"),
    ] {
        apply(
            &mut session,
            &format!("write_dump all image {} type type size 64 64 box no 0 {words}", file.display()),
        );
        let theirs = format!("{}/tests/data/images/{name}.ppm", env!("CARGO_MANIFEST_DIR"));
        let [ours, theirs] =
            [file.clone(), theirs.into()].map(|path| ppm(&std::fs::read(path).expect("a picture")));
        let other = (0..theirs.1.len()).find(|&k| ours.1.get(k) != theirs.1.get(k));
        assert_eq!(other.map(|k| (k % 64, k / 64, ours.1[k], theirs.1[k])), None, "{name}");
    }
}

/// A row of ten atoms along the vertical axis of the picture, without shine: the colours of their middles, the largest x first.
fn row(session: &mut Session, file: &std::path::Path, colour: &str, modify: &str) -> Vec<[u8; 3]> {
    let line = format!(
        "write_dump all image {} {colour} type size 400 400 view 0 0 zoom 1.5 box no 0 shiny 0 modify {modify}",
        file.display()
    );
    apply(session, &line);
    let (width, pixels) = ppm(&std::fs::read(file).expect("written"));
    let lit = |x: usize| (0..400).filter(|y| pixels[y * width + x] != [0; 3]).count();
    let column = (0..400).rev().max_by_key(|&x| lit(x)).expect("a column");
    let along: Vec<[u8; 3]> = (0..400).rev().map(|y| pixels[y * width + column]).collect();
    let spheres = along.split(|pixel| *pixel == [0; 3]).filter(|sphere| !sphere.is_empty());
    spheres.map(|sphere| sphere[sphere.len() / 2]).collect()
}

/// LAMMPS: the same atoms, dump d all image 1 a.*.ppm x type, dump_modify d amap and the words.
#[test]
fn values_have_the_colours_of_lammps() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    for line in ["region b block 0 20 0 2 0 2", "create_box 1 b"] {
        apply(&mut session, line);
    }
    for x in (1..20).step_by(2) {
        apply(&mut session, &format!("create_atoms 1 single {x} 1 1"));
    }
    let (red, green, blue, white) = ([253, 0, 0], [0, 127, 0], [0, 0, 253], [253, 253, 253]);
    let even = [
        [253, 0, 0],
        [225, 0, 28],
        [197, 0, 56],
        [168, 0, 84],
        [140, 0, 112],
        [112, 0, 140],
        [84, 0, 168],
        [56, 0, 197],
        [28, 0, 225],
        [0, 0, 253],
    ];
    for (map, colours) in [
        ("min max cf 0 2 min blue max red", even),
        (
            "2 15 ca 0 3 min green 8 white max red",
            [
                red,
                red,
                red,
                [253, 72, 72],
                [253, 144, 144],
                [253, 217, 217],
                [211, 232, 211],
                [126, 190, 126],
                [42, 148, 42],
                green,
            ],
        ),
        ("min max sf 0.25 3 red green blue", [green, red, red, blue, blue, green, green, red, red, red]),
        ("0 20 sa 3 2 red blue", [red, blue, blue, red, blue, blue, red, blue, blue, red]),
        ("2 15 sa 3 2 red blue", [red, red, red, blue, blue, red, blue, blue, red, red]),
        (
            "-10 30 sf 0.1 4 red green blue white",
            [white, blue, blue, green, green, red, red, white, white, blue],
        ),
        (
            "5 15 ca 0 2 min blue max red",
            [red, red, red, [202, 0, 50], [152, 0, 101], [101, 0, 152], [50, 0, 202], blue, blue, blue],
        ),
        // LAMMPS takes one range only; the manual has several.
        ("min max da 0 1 min max red", [red; 10]),
        (
            "0 20 da 0 2 min 8 green 8 max white",
            [white, white, white, white, white, white, green, green, green, green],
        ),
        (
            "min max df 0 2 0 0.5 green 0.5 1 white",
            [white, white, white, white, white, green, green, green, green, green],
        ),
    ] {
        let found = row(&mut session, &file, "x", &format!("amap {map}"));
        let near = found.len() == 10
            && found.iter().zip(&colours).all(|(a, b)| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 2));
        assert!(near, "{map}: {found:?}, not {colours:?}");
    }
    // What no range has is not drawn.
    assert_eq!(row(&mut session, &file, "x", "amap 0 20 da 0 1 4 10 red").len(), 3);
    // Silicon as Jmol has it: f0c8a0, 0.99 as bright where light falls as here.
    let found = row(&mut session, &file, "element", "element Si");
    assert!(
        found.len() == 10 && found[0].iter().zip([240, 200, 160]).all(|(a, b)| a.abs_diff(b) <= 3),
        "{found:?}"
    );
}

/// A movie has the pictures of dump image, one after the other, and can be played while the run goes on.
#[test]
fn a_gif_has_the_pictures() {
    in_third!(2);
    let folder = tempfile::tempdir().expect("a folder");
    let script = "units lj\nlattice fcc 0.8\nregion b block 0 2 0 2 0 2\ncreate_box 2 b\ncreate_atoms 1 box\ncreate_atoms 2 random 3 7 NULL\n\
        mass * 1\nvelocity all create 3 87287\npair_style soft 1.5\npair_coeff * * 10\nfix 1 all nve\n\
        dump p all image 20 p.*.ppm type type size 160 120\n\
        dump m all movie 20 m.gif type type size 160 120\ndump_modify m framerate 5\n\
        run 20\nshell cp m.gif half.gif\nrun 20\n";
    std::fs::write(folder.path().join("in.movie"), script).expect("written");
    let done = std::process::Command::new(env!("CARGO_BIN_EXE_clamps"))
        .args(["-in", "in.movie", "-log", "none", "-allow-shell"])
        .current_dir(&folder)
        .output()
        .expect("runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    for (name, frames) in [("half.gif", 2), ("m.gif", 3)] {
        let file = std::fs::File::open(folder.path().join(name)).expect("a movie");
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        options.check_lzw_end_code(true);
        let mut movie = options.read_info(file).expect("a GIF file");
        assert_eq!((movie.width(), movie.height()), (160, 120));
        let mut count = 0;
        while let Some(frame) = movie.read_next_frame().expect("whole") {
            assert_eq!((frame.delay, frame.width, frame.height), (20, 160, 120));
            let (_, pixels) =
                ppm(&std::fs::read(folder.path().join(format!("p.{}.ppm", 20 * count))).expect("a picture"));
            let apart: Vec<u32> = pixels
                .iter()
                .zip(frame.buffer.chunks(4))
                .map(|(a, b)| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum())
                .collect();
            // A frame has 256 colours: nearly all pixels are near their own. Edges of the box, of few pixels, may be farther off.
            let mean = f64::from(apart.iter().sum::<u32>()) / apart.len() as f64;
            let far = apart.iter().filter(|&&apart| apart > 60).count();
            assert!(mean < 3.0 && 100 * far < apart.len(), "{name} {count}: {mean}, {far} pixels");
            count += 1;
        }
        assert_eq!(count, frames, "{name}");
        assert_eq!(movie.repeat(), gif::Repeat::Infinite);
    }
}

#[test]
fn wrong_words_are_named() {
    let mut session = session();
    for line in ["region b block 0 8 0 8 0 8", "create_box 2 b"] {
        apply(&mut session, line);
    }
    for (line, word) in [
        ("dump d all image 10 x.png type type", "x.png"),
        ("dump d all image 10 x.*.png type type view 190 0", "190"),
        ("dump d all image 10 x.*.png type type zoom 0", "0"),
        ("dump d all image 10 x.*.png type type bond atom 0.2", "atom"),
        ("dump d all image 10 x.*.png type type glow 1", "glow"),
        ("dump d all movie 10 x.*.gif type type", "x.*.gif"),
    ] {
        assert_eq!(fails(&mut session, handler(line), line).0, word, "{line}");
    }
    apply(&mut session, "dump d all image 10 x.*.png type type");
    for (line, word) in [
        ("dump_modify d acolor 3 red", "3"),
        ("dump_modify d backcolor rde", "rde"),
        ("dump_modify d adiam 1 -1", "-1"),
        ("dump_modify d amap 3 2 cf 0 2 min blue max red", "3"),
        ("dump_modify d amap min max xf 0 2 min blue max red", "xf"),
        ("dump_modify d amap min max cf 0 2 0.1 blue max red", "0.1"),
        ("dump_modify d amap min max sf 0 1 red", "sf"),
        ("dump_modify d element Si Xx", "Xx"),
    ] {
        assert_eq!(fails(&mut session, handler(line), line).0, word, "{line}");
    }
}

/// Hollows are darker with `ssao`; what nothing stands beside stays as it is, in lights of which one is more than without.
#[test]
fn hollows_are_dark() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.ppm");
    let mut session = session();
    for line in ["region b block 0 12 0 8 0 8", "create_box 1 b", "create_atoms 1 single 2 4 4"] {
        apply(&mut session, line);
    }
    for x in [8.0, 8.6, 9.2] {
        apply(&mut session, &format!("create_atoms 1 single {x} 4 4"));
    }
    let mut picture = |options: &str| {
        let options = format!("type type size 300 300 view 0 0 zoom 1.5 adiam 2.0 box no 0 {options}");
        apply(&mut session, &format!("write_dump all image {} {options}", file.display()));
        ppm(&std::fs::read(&file).expect("written")).1
    };
    let plain = picture("");
    assert_eq!(picture("ssao no 4827 0.6"), plain);
    let light = picture("ssao yes 4827 0");
    assert!(light != plain && light.iter().flatten().zip(plain.iter().flatten()).all(|(a, b)| a >= b));
    let plain = light;
    let shaded = picture("ssao yes 4827 0.6");
    assert_eq!(picture("ssao yes 4827 0.6"), shaded);
    let sum = |pixel: &[u8; 3]| pixel.iter().map(|&part| u32::from(part)).sum::<u32>();
    let darker = |k: usize| sum(&shaded[k]) < sum(&plain[k]);
    assert!(plain.iter().zip(&shaded).all(|(plain, shaded)| (0..3).all(|part| shaded[part] <= plain[part])));
    // The box's x is downwards in the picture: the first sphere is alone in the upper half of what is lit, and hides no light from itself.
    let lit: Vec<usize> = (0..plain.len()).filter(|&k| plain[k] != [0; 3]).collect();
    let row = |k: &usize| k / 300;
    let (first, last) = (lit.iter().map(row).min(), lit.iter().map(row).max());
    let middle = (first.expect("atoms") + last.expect("atoms")) / 2;
    let count = |alone: bool| lit.iter().filter(|&&k| (row(&k) < middle) == alone && darker(k)).count();
    assert_eq!(count(true), 0);
    assert!(count(false) > 50, "{}", count(false));
}
