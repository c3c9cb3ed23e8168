//! Pictures of `dump image`, beside those of LAMMPS (22 Jul 2025).

mod commands;

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
    ] {
        assert_eq!(fails(&mut session, handler(line), line).0, word, "{line}");
    }
    apply(&mut session, "dump d all image 10 x.*.png type type");
    for (line, word) in [
        ("dump_modify d acolor 3 red", "3"),
        ("dump_modify d backcolor rde", "rde"),
        ("dump_modify d adiam 1 -1", "-1"),
    ] {
        assert_eq!(fails(&mut session, handler(line), line).0, word, "{line}");
    }
}
