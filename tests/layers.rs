//! Imports only go down: which wing of src/ may import which.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A wing and what it may import besides itself: wings, or single modules of one.
const WINGS: [(&str, &[&str]); 16] = [
    ("base", &[]),
    ("gpu", &["base"]),
    ("script", &["base"]),
    ("model", &["base", "script"]),
    ("potentials", &["base", "gpu", "script", "model"]),
    ("engine", &["base", "gpu", "model", "potentials", "script::atom_expr"]),
    ("session", &["base", "gpu", "script", "model", "potentials", "engine"]),
    ("computes", &["base", "gpu", "script", "model", "potentials", "engine", "session"]),
    ("io", &["base", "gpu", "script", "model", "potentials", "engine", "session"]),
    ("fixes", &["base", "gpu", "script", "model", "potentials", "engine", "session", "computes"]),
    ("output", &["base", "gpu", "script", "model", "potentials", "engine", "session", "io"]),
    (
        "run",
        &[
            "base",
            "gpu",
            "script",
            "model",
            "potentials",
            "engine",
            "session",
            "computes",
            "io",
            "fixes",
            "output",
        ],
    ),
    (
        "commands",
        &[
            "base",
            "gpu",
            "script",
            "model",
            "potentials",
            "engine",
            "session",
            "computes",
            "io",
            "fixes",
            "output",
            "run",
        ],
    ),
    ("reference", &["base", "gpu", "script", "model", "potentials", "engine", "run::minimize"]),
    (
        "studies",
        &[
            "base",
            "gpu",
            "script",
            "model",
            "potentials",
            "engine",
            "session",
            "computes",
            "io",
            "fixes",
            "output",
            "run",
            "commands",
            "reference",
        ],
    ),
    (
        "cli",
        &[
            "base",
            "gpu",
            "script",
            "model",
            "potentials",
            "engine",
            "session",
            "computes",
            "io",
            "fixes",
            "output",
            "run",
            "commands",
            "reference",
            "studies",
        ],
    ),
];

fn files_of(ending: &str, folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files_of(ending, &path, files),
            false if path.extension().is_some_and(|end| end == ending) => files.push(path),
            false => {}
        }
    }
}

/// A source without comments, strings and its module of tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix('"') {
            let before = out.trim_end_matches('#');
            let raw = out.len() - before.len();
            if before.ends_with('r') {
                let end = format!("\"{}", "#".repeat(raw));
                1 + inside.find(&end).unwrap() + end.len()
            } else {
                let mut escaped = false;
                let end = inside.char_indices().find(|&(_, c)| {
                    let ends = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    ends
                });
                end.unwrap().0 + 2
            }
        } else if rest.starts_with("'\"'") {
            3
        } else if rest.starts_with("'\\") {
            3 + rest[3..].find('\'').unwrap()
        } else {
            out.push_str(&rest[..1]);
            1
        };
        rest = &rest[skipped..];
    }
    out + rest
}

/// The paths of a use tree, after `prefix`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let Some(open) = tree.find('{') else {
        paths.push(format!("{prefix}{}", tree.split(" as ").next().unwrap().trim()));
        return;
    };
    let prefix = format!("{prefix}{}", tree[..open].trim());
    let inside = &tree[open + 1..tree.rfind('}').unwrap()];
    let (mut depth, mut from) = (0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&prefix, &inside[from..at], paths);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !inside[from..].trim().is_empty() {
        expand(&prefix, &inside[from..], paths);
    }
}

/// What a source imports: paths from the crate's root.
fn imports(text: &str) -> BTreeSet<String> {
    let mut paths = Vec::new();
    let code = code(text);
    let mut rest = &code[..];
    while let Some(at) = rest.find("crate::") {
        let after = &rest[at + 7..];
        match after.starts_with('{') {
            true => expand("", &after[..after.find(';').unwrap()], &mut paths),
            false => {
                let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':' || c == '{'));
                let path = &after[..end.unwrap_or(after.len())];
                match path.find('{') {
                    Some(_) => expand("", &after[..after.find(';').unwrap()], &mut paths),
                    None => paths.push(path.to_owned()),
                }
            }
        }
        rest = after;
    }
    paths.into_iter().map(|path| path.replace(char::is_whitespace, "")).collect()
}

fn is_under(path: &str, module: &str) -> bool {
    path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}

/// `FILE: PATH` of every import that goes up.
fn exceptions() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_of("rs", &root, &mut files);
    assert!(files.len() > 100, "no sources found");
    let mut found = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        let Some((wing, _)) = name.split_once('/') else {
            assert!(["lib.rs", "main.rs"].contains(&&name[..]), "src/{name} belongs into a wing");
            continue;
        };
        let allowed = WINGS.iter().find(|(known, _)| *known == wing);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("src/{name}: {wing} is no wing"));
        for path in imports(&std::fs::read_to_string(&file).unwrap()) {
            let target = path.split("::").next().unwrap();
            if !WINGS.iter().any(|(known, _)| *known == target) {
                continue; // a macro's `crate` or a word of the crate's root
            }
            if target != wing && !allowed.iter().any(|module| is_under(&path, module)) {
                found.push(format!("{name}: {path}"));
            }
        }
    }
    found
}

#[test]
fn imports_only_go_down() {
    let found = exceptions();
    assert!(found.is_empty(), "{} imports go up:\n{}", found.len(), found.join("\n"));
}

/// The engine takes plain data: it knows no session, and tables of styles are known to those only who choose among them.
#[test]
fn the_engine_knows_no_script_and_no_style() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine");
    let mut files = Vec::new();
    files_of("rs", &root, &mut files);
    for file in files {
        for path in imports(&std::fs::read_to_string(&file).unwrap()) {
            let style = path.strip_prefix("potentials::pair::").or(path.strip_prefix("potentials::bond::"));
            let concrete = style.is_some_and(|rest| {
                let next = rest.split("::").next().unwrap();
                let file = format!("src/potentials/pair/{next}.rs");
                let shared = ["cost", "given", "resolve", "style", "tail"].contains(&next);
                Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists() && !shared
            });
            assert!(!concrete && !path.contains("registry"), "{}: {path}", file.display());
        }
    }
}

/// Tables of fixes, computes, pair and bond styles stand in files named registry.rs.
#[test]
fn styles_are_registered_in_one_place_each() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_of("rs", &root, &mut files);
    let mut tables = 0;
    for file in files {
        let text = code(&std::fs::read_to_string(&file).unwrap());
        if text.contains("pub const STYLES: &[(&str,") {
            assert!(file.ends_with("registry.rs"), "{}", file.display());
            tables += 1;
        }
    }
    assert_eq!(tables, 4);
}

/// Branches of the longest `#if` ladder of a kernel file (the last of those that are as long), and the line that it begins at. A ladder that stands in the `#else` of another
/// goes on with it.
fn longest_ladder(text: &str) -> (usize, usize) {
    struct Ladder {
        line: usize,
        branches: usize,
        in_else: bool,
        longest_in_else: usize,
    }
    let (mut open, mut longest) = (Vec::<Ladder>::new(), (0, 0));
    for (at, line) in text.lines().enumerate() {
        let Some(directive) = line.trim_start().strip_prefix('#') else { continue };
        match directive.split_whitespace().next() {
            Some("if" | "ifdef" | "ifndef") => {
                open.push(Ladder { line: at + 1, branches: 1, in_else: false, longest_in_else: 1 });
            }
            Some("elif") => open.last_mut().unwrap().branches += 1,
            Some("else") => open.last_mut().unwrap().in_else = true,
            Some("endif") => {
                let ladder = open.pop().unwrap();
                let branches = ladder.branches + if ladder.in_else { ladder.longest_in_else } else { 0 };
                longest = longest.max((branches, ladder.line));
                if let Some(around) = open.last_mut().filter(|around| around.in_else) {
                    around.longest_in_else = around.longest_in_else.max(branches);
                }
            }
            _ => {}
        }
    }
    assert!(open.is_empty());
    longest
}

/// What is to be chosen among more than three is a file for each, of which Rust takes one: as cl/common/vector_1.cl to vector_16.cl.
#[test]
fn kernels_stand_behind_no_long_ladders() {
    assert_eq!(longest_ladder("#if A\n#elif B\n#if C\n#else\n#endif\n#endif"), (2, 3));
    assert_eq!(longest_ladder("\n#ifdef A\n#else\n#if B\n#else\n#endif\n#endif"), (3, 2));
    let mut files = Vec::new();
    files_of("cl", &Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &mut files);
    assert!(files.len() > 100);
    for file in files {
        let (branches, line) = longest_ladder(&std::fs::read_to_string(&file).unwrap());
        assert!(branches <= 3, "{}:{line}: a ladder of {branches} branches", file.display());
    }
}

/// A file is a room: one that grows beyond this holds two.
#[test]
fn files_are_at_most_500_lines_long() {
    let mut files = Vec::new();
    for (ending, folder) in [("rs", "src"), ("cl", "cl")] {
        files_of(ending, &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    }
    let lines = |file: &PathBuf| std::fs::read_to_string(file).unwrap().lines().count();
    let long: Vec<_> =
        files.iter().map(|file| (lines(file), file)).filter(|(lines, _)| *lines > 500).collect();
    assert!(files.len() > 500 && long.is_empty(), "{long:?}");
}

/// Heads of functions that get pointers to local memory and may become calls: PoCL 3.1 mixes arrays up there (cl/common/variants.cl).
fn calls_with_local_memory(text: &str) -> Vec<&str> {
    // What heads have it by; an `Around` has pointers in it.
    const LOCAL: [&str; 7] = [
        "__local ",
        "MADE_SPACE ",
        "NEAR_SPACE ",
        "ROWS_PARAMETER",
        "SEEN_PARAMETERS",
        "KNOWN_ARGUMENT",
        "Around ",
    ];
    // From each line that begins with a head, indented or not; a line of `#define` does not.
    let begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let heads =
        begins.filter_map(|at| text[at..].trim_start_matches([' ', '\t']).strip_prefix("static inline "));
    let heads = heads.filter_map(|rest| rest.split(['{', ';']).next());
    heads.filter(|head| LOCAL.iter().any(|word| head.contains(word))).collect()
}

#[test]
fn functions_that_get_local_memory_are_inlined() {
    let two =
        "\nstatic inline int a(int b,\n  __local int *c) {\n}\nALWAYS_INLINE int d(__local int *c) {\n}\n";
    assert_eq!(calls_with_local_memory(two), ["int a(int b,\n  __local int *c) "]);
    for (text, head) in [
        ("static inline int first(__local int *a) {\n}\n", "int first(__local int *a) "),
        ("#if A\n  static inline int indented(__local int *a) {\n  }\n", "int indented(__local int *a) "),
        ("\nstatic inline int near(NEAR_SPACE real *a) {\n}\n", "int near(NEAR_SPACE real *a) "),
        ("\nstatic inline void pass(uint a KNOWN_ARGUMENT) {\n}\n", "void pass(uint a KNOWN_ARGUMENT) "),
        ("\nstatic inline real value(uint n, Around a);\n", "real value(uint n, Around a)"),
        ("\nstatic inline real pointer(const Around *a) {\n}\n", "real pointer(const Around *a) "),
    ] {
        assert_eq!(calls_with_local_memory(text), [head]);
    }
    let defined =
        "#define KNOWN_ARGUMENT , __local int *a\n#define HEAD static inline void b(uint c KNOWN_ARGUMENT)\n";
    assert!(calls_with_local_memory(defined).is_empty());
    let (mut files, mut inlined) = (Vec::new(), 0);
    files_of("cl", &Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let calls = calls_with_local_memory(&text);
        assert!(calls.is_empty(), "{}: {calls:?}", file.display());
        inlined += text.matches("\nALWAYS_INLINE ").count();
    }
    assert!(inlined > 10, "{inlined}");
}

/// All files and folders of a folder, as paths from the root of the project.
fn entries_of(folder: &Path, root: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        found.insert(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
        if path.is_dir() {
            entries_of(&path, root, found);
        }
    }
}

/// The source files that a text names, and the folders that it names in backticks. Names with capitals stand for many.
fn named_paths(text: &str) -> Vec<&str> {
    let of_a_path = |c: char| c.is_ascii_alphanumeric() || "_-/.".contains(c);
    let words = text.split(|c| !of_a_path(c)).map(|word| word.trim_end_matches('.'));
    let files = words.filter(|word| {
        word.rsplit_once('.')
            .is_some_and(|(name, end)| !name.is_empty() && ["rs", "cl", "sh", "py"].contains(&end))
    });
    let folders = text.split('`').skip(1).step_by(2).filter(|word| word.ends_with('/'));
    let paths = files.chain(folders.filter(|word| word.chars().all(of_a_path)));
    let paths = paths.map(|path| path.trim_start_matches("../").trim_start_matches("./"));
    paths.filter(|path| !path.contains(|c: char| c.is_ascii_uppercase()) && !path.starts_with('/')).collect()
}

/// A path may leave out the folders that it begins with: `pair/style.rs`, `engine/step.rs`.
#[test]
fn paths_in_pages_and_comments_exist() {
    assert_eq!(
        named_paths("`engine/a.rs`, cl/b.cl: `c/` and `d/NAME.rs`, ./e.sh."),
        ["engine/a.rs", "cl/b.cl", "e.sh", "c/"]
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = BTreeSet::from(["build.rs".to_owned(), "setup.sh".to_owned()]);
    for folder in ["src", "cl", "tests", "benches", "examples", "docs", "inputs"] {
        known.insert(folder.to_owned());
        entries_of(&root.join(folder), root, &mut known);
    }
    let exists = |path: &str| {
        let path = path.trim_end_matches('/');
        let within = |known: &String| known.strip_suffix(path).is_some_and(|front| front.ends_with('/'));
        known.contains(path) || known.iter().any(within)
    };
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    for (ending, folder) in [("md", "docs"), ("rs", "src"), ("cl", "cl")] {
        files_of(ending, &root.join(folder), &mut files);
    }
    let (mut named, mut missing) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let is_page = file.extension().is_some_and(|end| end == "md");
        for (at, line) in text.lines().enumerate() {
            let Some(from) = (if is_page { Some(0) } else { line.find("//") }) else { continue };
            let paths = named_paths(&line[from..]);
            named += paths.len();
            let absent = paths.into_iter().filter(|path| !exists(path));
            missing.extend(absent.map(|path| format!("{}:{}: {path}", file.display(), at + 1)));
        }
    }
    assert!(named > 500, "{named}");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// How many lines a function has that stands in a file, from its head to its end.
fn lines_of(file: &str, head: &str) -> usize {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file)).unwrap();
    let mut lines = text.lines().skip_while(|line| !line.trim_start().starts_with(head));
    let first = lines.next().unwrap_or_else(|| panic!("{file} has no {head}"));
    let end = format!("{}}}", &first[..first.len() - first.trim_start().len()]);
    lines.position(|line| line == end).unwrap() + 2
}

/// Who reads them sees a step whole.
#[test]
fn loops_are_less_than_60_lines_long() {
    for (file, head) in [
        ("run/mod.rs", "pub fn run("),
        ("engine/simulation/advance.rs", "pub fn advance_begun("),
        ("engine/simulation/advance.rs", "fn handle_halt("),
        ("engine/simulation/history.rs", "pub(super) fn roll_back("),
    ] {
        let lines = lines_of(file, head);
        assert!((2..60).contains(&lines), "{file}: {head} has {lines} lines");
    }
}
