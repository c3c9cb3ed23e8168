//! Variables and formulas against LAMMPS: tables of what it printed, and, where an `lmp` is at hand
//! (`CLAMPS_LMP` or on the PATH), LAMMPS itself.

use clamps::base::error::{Result, Source};
use clamps::base::format::g;
use clamps::script::formula::{Formula, Lookup, Nothing, Style};
use clamps::script::variables::Variables;
use clamps::script::{Args, lexer};
use std::io::Write;
use std::process::Command;

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|row| row.split('\t').collect())
}

/// Defines variables with lines of a script, without the word `variable`.
fn define(variables: &mut Variables, lines: &[&str]) -> Result<()> {
    for line in lines {
        let text = format!("variable {line}").into();
        let command = lexer::split(&Source { file: "in.test".into(), line: 1, text })?.expect("words");
        variables.define(&mut Args::new(&command))?;
    }
    Ok(())
}

fn next(variables: &mut Variables, names: &str) -> Result<()> {
    let source = Source { file: "in.test".into(), line: 1, text: format!("next {names}").into() };
    variables.next(&mut Args::new(&lexer::split(&source)?.expect("words"))).map(|_| ())
}

fn defined(lines: &[&str]) -> Variables {
    let mut variables = Variables::default();
    define(&mut variables, lines).expect("valid definitions");
    variables
}

fn substituted(variables: &Variables, text: &str) -> String {
    variables.substitute(text, &Nothing).expect("all references have values").into_owned()
}

fn refused(lines: &[&str]) -> String {
    define(&mut Variables::default(), lines).expect_err("not valid").to_string()
}

#[test]
fn formulas_have_the_values_that_lammps_prints() {
    let mut checked = [0, 0];
    let variables = defined(&["a equal 3"]);
    for row in rows(include_str!("data/formulas.tsv")) {
        let value = variables.evaluate(row[0], &Nothing).map(|x| g(x, 15));
        match (row[1], value) {
            // LAMMPS prints a formula without a finite value and fails where it is used; here it fails at once.
            ("ERROR" | "-nan", value) => assert!(value.is_err(), "{row:?} gives {value:?}"),
            (expected, value) => assert_eq!(value.as_deref(), Ok(expected), "{}", row[0]),
        }
        checked[usize::from(row[1] == "ERROR")] += 1;
    }
    assert!(checked[0] > 130 && checked[1] > 40, "{checked:?}");
}

struct Step(f64);

impl Lookup for Step {
    fn keyword(&self, name: &str) -> Option<f64> {
        (name == "step").then_some(self.0)
    }
}

#[test]
fn schedules_have_the_steps_of_lammps() {
    for row in rows(include_str!("data/steps.tsv")) {
        let now = Step(row[1].parse().expect("a step"));
        let value = Variables::default().evaluate(row[0], &now).map(|x| g(x, 15));
        assert_eq!(value.as_deref(), Ok(row[2]), "{} at {}", row[0], row[1]);
    }
}

#[test]
fn functions_of_the_run() {
    struct Run;
    impl Lookup for Run {
        fn keyword(&self, name: &str) -> Option<f64> {
            let table =
                [("step", 25.0), ("elapsed", 15.0), ("dt", 0.1), ("beginstep", 10.0), ("endstep", 40.0)];
            table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
        }
    }
    let value = |formula| Variables::default().evaluate(formula, &Run).expect("a value");
    assert_eq!(value("ramp(1,5)"), 3.0);
    assert_eq!(value("vdisplace(2,4)"), 8.0);
    // A quarter of the period: the sine is 1, the cosine 0.
    assert!((value("swiggle(1,2,6)") - 3.0).abs() < 1e-12);
    assert!((value("cwiggle(1,2,6)") - 3.0).abs() < 1e-12);
    assert_eq!(value("step*2+elapsed"), 65.0);
    let missing = Variables::default().evaluate("1+temp", &Run).expect_err("no value");
    assert_eq!(missing.span, 2..6);
    // Between runs LAMMPS (22 Jul 2025) counts from step 0.
    struct Between;
    impl Lookup for Between {
        fn keyword(&self, name: &str) -> Option<f64> {
            let table = [("step", 20.0), ("elapsed", 0.0), ("dt", 0.005)];
            table.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
        }
    }
    let value = Variables::default().evaluate("vdisplace(1,3)", &Between).expect("a value");
    assert!((value - 1.3).abs() < 1e-12);
}

#[test]
fn substitution_follows_lammps() {
    let v = defined(&[
        "a vector [1,2.5,-3e20]",
        "b vector v_a/2+1",
        "s equal sum(v_b)+v_a[2]",
        "r equal rsort(v_a)[3]",
    ]);
    assert_eq!(substituted(&v, "$a $b $s $r"), "[1,2.5,-3e+20] [1.5,2.25,-1.5e+20] -1.5e+20 -3e+20");
    let v = defined(&["w world one", "u universe p q", "l uloop 3 pad", "t timer"]);
    assert_eq!(substituted(&v, "$w $u $l"), "one p 1");
    // What -var has set stays, whatever the worlds of LAMMPS would have.
    let v = defined(&["w index given", "w world a b c"]);
    assert_eq!(substituted(&v, "$w"), "given");
    let v = defined(&["x index 3.5", "long string 'a b'", "e equal 1/3", "f format e %.3f", "s equal v_x*2"]);
    assert_eq!(
        substituted(&v, "$x ${long} '$x' \"$x\" \"\"\"$x\"\"\""),
        "3.5 a b '$x' \"$x\" \"\"\"$x\"\"\""
    );
    // ${} prints %.15g, $() prints %.20g unless it has a format.
    assert_eq!(
        substituted(&v, "${e} $(1/3) $(v_e:%.3f) $f"),
        "0.333333333333333 0.33333333333333331483 0.333 0.333"
    );
    assert_eq!(substituted(&v, "$((1+2)*3)${s}$x$x"), "973.53.5");
    // What was put in is not looked at again.
    let v = defined(&["d string '$x'", "x index 1"]);
    assert_eq!(substituted(&v, "$d $x"), "$x 1");
    for (text, place) in [
        ("a $", 2..3),
        ("a $ b", 2..3),
        ("$q", 0..2),
        ("a ${quite}", 2..10),
        ("${x", 0..3),
        ("$(1+", 0..4),
        ("$(1+z)", 4..5),
        ("$(1:%d)", 4..6),
        ("$(1/0)", 2..5),
        ("$(v_no)", 2..6),
    ] {
        assert_eq!(v.substitute(text, &Nothing).expect_err(text).span, place, "{text}");
    }
}

#[test]
fn definitions_follow_lammps() {
    // An index or loop variable that exists stays, an equal or string one is replaced.
    let v = defined(&[
        "a index 1 2",
        "a index 7",
        "e equal 1",
        "e equal 2",
        "s string p",
        "s string q",
        "e index 5",
    ]);
    assert_eq!(substituted(&v, "$a $e $s"), "1 2 q");
    let mut v = Variables::default();
    v.set_index("x", vec!["5".into(), "6".into()]).expect("a name");
    define(&mut v, &["x index 1 2 3"]).expect("left alone");
    assert_eq!(substituted(&v, "$x"), "5");
    assert!(refused(&["a index 1", "a equal 5"]).contains("exists already"));
    assert!(refused(&["a equal 1", "a string 5"]).contains("exists already"));
    assert_eq!(substituted(&defined(&["a index 1", "a delete", "a equal 5", "b delete"]), "$a"), "5");
    let v = defined(&["i loop 3", "j loop 2 12 pad", "k loop 5 pad", "l loop 10 pad"]);
    assert_eq!(substituted(&v, "$i $j $k $l"), "1 02 1 01");
    // Words without quotes are one formula; loops begin and end at any number from LAMMPS's, and count on.
    let v = defined(&["a equal 2", "c equal v_a + 1", "d equal (v_c + v_a) * '2 + 1'", "e vector [1, 2 ,3]"]);
    assert_eq!(substituted(&v, "$c $d $(v_e[3])"), "3 11 3");
    let mut v = defined(&["i loop 0 2", "j loop -2 1", "k loop 0 10 pad", "l loop -3 10 pad"]);
    assert_eq!(substituted(&v, "$i $j $k $l"), "0 -2 00 -3");
    next(&mut v, "i j").expect("more");
    next(&mut v, "i j").expect("more");
    assert_eq!(substituted(&v, "$i $j"), "2 0");
    next(&mut v, "i").expect("the last one");
    assert!(!v.contains("i"));
    for bad in [
        "",
        "x",
        "x foo 1",
        "x world a b",
        "x vector [1,2",
        "x vector [1,b]",
        "x vector [1,nan]",
        "a-b equal 1",
        "x index",
        "x loop 0",
        "x loop -2",
        "x loop 3 2",
        "x loop",
        "x loop 3 pad 4",
        "x equal",
        "x equal 1 2",
        "x loop -3 -1",
        "x equal 1+",
        "x equal c_",
        "x string a b",
        "x format y %g",
        "x getenv",
    ] {
        assert!(refused(&[bad]).starts_with("variable: "), "{bad}");
    }
}

#[test]
fn next_follows_lammps() {
    let mut v = defined(&["i loop 3", "j loop 9 12 pad", "w index a b"]);
    next(&mut v, "i j").expect("more");
    assert_eq!(substituted(&v, "$i $j"), "2 10");
    next(&mut v, "w").expect("more");
    assert_eq!(substituted(&v, "$w"), "b");
    assert!(next(&mut v, "i w").is_err(), "two styles");
    next(&mut v, "w").expect("the last one");
    assert!(!v.contains("w"), "exhausted variables are deleted");
    assert!(next(&mut v, "w").is_err());
    assert!(next(&mut v, "").is_err());
}

#[test]
fn references_are_followed_and_circles_found() {
    let v = defined(&["a equal v_b+1", "b equal v_c*2", "c index 4", "t string text"]);
    assert_eq!(substituted(&v, "$a"), "9");
    assert!(v.number("t", &Nothing).expect_err("a text").message.contains("not a number"));
    let v = defined(&["a equal v_b", "b equal v_a", "c equal 1+v_c"]);
    for name in ["a", "b", "c"] {
        assert!(v.number(name, &Nothing).expect_err("a circle").message.contains("depends on itself"));
    }
    let mut v = Variables::default();
    for n in 0..5000 {
        define(&mut v, &[&format!("x{n} equal v_x{}", n + 1)]).expect("valid");
    }
    assert!(v.number("x0", &Nothing).expect_err("too long").message.contains("too many"));
}

#[test]
fn long_and_deep_formulas_do_no_harm() {
    let sum = vec!["1"; 100_000].join("+");
    assert_eq!(Variables::default().evaluate(&sum, &Nothing).expect("a sum"), 100_000.0);
    for deep in ["(", "-", "!", "sqrt(", "1+("] {
        assert!(Formula::parse(&deep.repeat(100_000), Style::Equal).is_err());
    }
    assert!(Formula::parse(&"1^(".repeat(100_000), Style::Equal).is_err());
}

proptest::proptest! {
    #[test]
    fn formulas_never_panic(text in "(?s)[-+*/^%!<>=&|(),.0-9eE a-zPI_$\u{e9}]{0,40}|(?s).{0,40}") {
        if let Err(fault) = Variables::default().evaluate(&text, &Nothing) {
            proptest::prop_assert!(fault.span.start < fault.span.end);
        }
    }

    #[test]
    fn substitution_never_panics(text in "(?s)[${}()'\"ax1+:% \n\u{e9}]{0,40}|(?s).{0,40}") {
        let variables = defined(&["a equal 1", "x index b"]);
        if let Err(fault) = variables.substitute(&text, &Nothing) {
            proptest::prop_assert!(fault.span.start < fault.span.end, "{fault:?}");
        }
    }
}

/// Formulas of numbers and operators, by a small generator of its own so that they are the same each time.
fn random_formulas(count: usize) -> Vec<String> {
    let mut seed = 12345_u64;
    let mut draw = |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let operators =
        ["+", "-", "*", "/", "%", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "|^", "+-", "*-", "-!"];
    let mut formulas = Vec::new();
    while formulas.len() < count {
        let mut formula = String::new();
        let mut open = 0;
        for term in 0..2 + draw(6) {
            if term > 0 {
                formula += operators[draw(operators.len() as u64) as usize];
            }
            if draw(4) == 0 {
                formula += ["(", "sqrt(", "-(", "abs("][draw(4) as usize];
                open += 1;
            }
            formula += ["0", "1", "2", "3", "0.5", "7.25", "1e3", "PI"][draw(8) as usize];
            if open > 0 && draw(2) == 0 {
                formula += ")";
                open -= 1;
            }
        }
        formula += &")".repeat(open);
        if Variables::default().evaluate(&formula, &Nothing).is_ok() {
            formulas.push(formula);
        }
    }
    formulas
}

#[test]
fn random_formulas_agree_with_a_lammps_at_hand() {
    let lmp = std::env::var("CLAMPS_LMP").unwrap_or_else(|_| "lmp".into());
    let formulas = random_formulas(300);
    let mut script = String::new();
    for formula in &formulas {
        script += &format!("variable x equal {formula}\nprint \"= ${{x}}\"\n");
    }
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("in.formulas");
    std::fs::write(&file, script).expect("a script");
    let output = Command::new(&lmp).arg("-in").arg(&file).args(["-log", "none"]).current_dir(&dir).output();
    let Ok(output) = output else {
        // Not eprintln: cargo hides that of tests that pass.
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no LAMMPS ('{lmp}'; set CLAMPS_LMP): formulas not compared"
        );
        return;
    };
    let screen = String::from_utf8_lossy(&output.stdout);
    let printed: Vec<&str> = screen.lines().filter_map(|line| line.strip_prefix("= ")).collect();
    assert_eq!(printed.len(), formulas.len(), "{screen}");
    for (formula, printed) in formulas.iter().zip(printed) {
        let value = Variables::default().evaluate(formula, &Nothing).expect("filtered");
        assert_eq!(g(value, 15), printed, "{formula}");
    }
}
