//! Imports only go down: which wing of src/ may import which.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
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

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A source: its module as the words of a path from the crate's root, the paths that it imports, those that it gives to others by `pub use`,
/// and those that stand in the rest of it.
struct Source {
    file: String,
    module: Vec<String>,
    uses: Vec<Vec<String>>,
    given: Vec<Vec<String>>,
    named: Vec<Vec<String>>,
}

fn words_of(path: &str) -> Vec<String> {
    path.split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

impl Source {
    /// Of a text; the name of its file is from src/ on.
    fn of(file: &str, text: &str) -> Source {
        let stem = file.strip_suffix(".rs").unwrap();
        let stem = stem.strip_suffix("/mod").unwrap_or(stem);
        let module = stem.split('/').map(str::to_owned).collect();
        let (code, mut body) = (code(text), String::new());
        let (mut uses, mut given) = (Vec::new(), Vec::new());
        let mut rest = &code[..];
        while let Some(at) = rest.find("use ") {
            if rest[..at].ends_with(is_of_a_word) {
                body.push_str(&rest[..at + 4]);
                rest = &rest[at + 4..];
                continue;
            }
            let end = at + rest[at..].find(';').unwrap();
            let mut paths = Vec::new();
            expand("", &rest[at + 4..end], &mut paths);
            let line = rest[..at].rsplit('\n').next().unwrap().trim_start();
            let paths = paths.iter().map(|path| words_of(path));
            if line.starts_with("pub") {
                given.extend(paths.clone());
            }
            uses.extend(paths);
            body.push_str(&rest[..at]);
            rest = &rest[end..];
        }
        body.push_str(rest);
        let words = body.split(|c| !(is_of_a_word(c) || c == ':'));
        let paths = words.filter(|word| word.contains("::") && word.starts_with(|c: char| !c.is_uppercase()));
        let named = paths.map(words_of).filter(|path| path.len() > 1).collect();
        Source { file: file.to_owned(), module, uses, given, named }
    }

    /// A path by `crate` or `super`, from the crate's root.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let up = path.iter().take_while(|word| *word == "super").count();
        match up {
            0 => (path[0] == "crate").then(|| path[1..].to_vec()),
            _ => {
                let left = self.module.len().saturating_sub(up);
                Some([&self.module[..left], &path[up..]].concat())
            }
        }
    }

    /// What it imports, or names in its code: paths from the crate's root.
    fn imports(&self) -> BTreeSet<String> {
        let paths = self.uses.iter().chain(&self.named).filter_map(|path| self.absolute(path));
        paths.map(|path| path.join("::")).collect()
    }
}

/// The sources of a folder of src/.
fn sources(folder: &str) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    files_of("rs", &root.join(folder), &mut files);
    let name = |file: &PathBuf| file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
    files.iter().map(|file| Source::of(&name(file), &std::fs::read_to_string(file).unwrap())).collect()
}

fn is_under(path: &str, module: &str) -> bool {
    path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}

/// `FILE: PATH` of every import that goes up.
fn exceptions(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources {
        let name = &source.file;
        let Some((wing, _)) = name.split_once('/') else {
            assert!(["lib.rs", "main.rs"].contains(&&name[..]), "src/{name} belongs into a wing");
            continue;
        };
        let allowed = WINGS.iter().find(|(known, _)| *known == wing);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("src/{name}: {wing} is no wing"));
        for path in source.imports() {
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
    for up in [
        "use crate::{base::error, session::{Session}};",
        "use super::super::session::Session;",
        "fn a() { super::super::session::a() }",
    ] {
        assert_eq!(exceptions(&[Source::of("engine/step.rs", up)]).len(), 1, "{up}");
    }
    let sources = sources("");
    assert!(sources.len() > 100, "no sources found");
    let found = exceptions(&sources);
    assert!(found.is_empty(), "{} imports go up:\n{}", found.len(), found.join("\n"));
}

/// The engine takes plain data: it knows no session, and tables of styles are known to those only who choose among them.
#[test]
fn the_engine_knows_no_script_and_no_style() {
    for source in sources("engine") {
        for path in source.imports() {
            let style = path.strip_prefix("potentials::pair::").or(path.strip_prefix("potentials::bond::"));
            let concrete = style.is_some_and(|rest| {
                let next = rest.split("::").next().unwrap();
                let file = format!("src/potentials/pair/{next}.rs");
                let shared = ["cost", "given", "resolve", "style", "tail"].contains(&next);
                Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists() && !shared
            });
            assert!(!concrete && !path.contains("registry"), "{}: {path}", source.file);
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

/// Macros of kernel files that stand for statements or blocks, each with those that it holds. Of a macro that is defined several times all definitions count.
fn macros_of_statements(texts: &[String]) -> BTreeMap<&str, BTreeSet<&str>> {
    const CONTROL: [&str; 6] = ["for", "while", "if", "break", "return", "switch"];
    fn words(body: &str) -> impl Iterator<Item = &str> {
        body.split(|c| !is_of_a_word(c))
    }
    let mut bodies = BTreeMap::<&str, Vec<&str>>::new();
    for line in texts.iter().flat_map(|text| text.lines()) {
        let Some(rest) = line.strip_prefix("#define ") else { continue };
        let (name, rest) = rest.split_at(rest.find(|c| !is_of_a_word(c)).unwrap_or(rest.len()));
        let body = rest.strip_prefix('(').and_then(|inside| Some(inside.split_once(')')?.1));
        bodies.entry(name).or_default().push(body.unwrap_or(rest).split("//").next().unwrap());
    }
    let has_statements = |bodies: &Vec<&str>| {
        bodies
            .iter()
            .any(|body| body.contains(['{', '}', ';']) || words(body).any(|word| CONTROL.contains(&word)))
    };
    bodies.retain(|_, bodies| has_statements(bodies));
    let names: BTreeSet<&str> = bodies.keys().copied().collect();
    let held = |name: &str, bodies: &[&'_ str]| {
        bodies
            .iter()
            .flat_map(|body| words(body))
            .filter(|word| *word != name)
            .filter_map(|word| names.get(word).copied())
            .collect()
    };
    bodies.iter().map(|(name, bodies)| (*name, held(name, bodies))).collect()
}

/// The text of a kernel file, lines of a macro as one.
fn with_whole_macros(text: &str) -> String {
    text.replace("\\\n", " ")
}

/// What a kernel consists of is read in its file: a macro of statements holds no other one.
#[test]
fn macros_of_statements_hold_no_others() {
    let three = [
        "#define A(x) { \\\n    B \\\n    C(x) \\\n}\n#define B a = 1; // C(2)\n",
        "#define C(x) (x)\n#define D B\n",
    ];
    let three = three.map(with_whole_macros);
    let found = macros_of_statements(&three);
    assert_eq!(found, BTreeMap::from([("A", BTreeSet::from(["B"])), ("B", BTreeSet::new())]));
    let mut files = Vec::new();
    files_of("cl", &Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &mut files);
    let texts = files.iter().map(|file| with_whole_macros(&std::fs::read_to_string(file).unwrap()));
    let texts: Vec<_> = texts.collect();
    let found = macros_of_statements(&texts);
    assert!(found.len() > 50, "{}", found.len());
    let deep: Vec<_> = found.iter().filter(|(_, held)| !held.is_empty()).collect();
    assert!(deep.is_empty(), "{deep:?}");
}

/// So does what a loop inserts: a piece inserts none. (The rest of the rules is in src/gpu/source.rs.)
#[test]
fn pieces_of_kernels_insert_no_others() {
    let mut files = Vec::new();
    files_of("cl", &Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &mut files);
    let (mut pieces, mut inserted) = (BTreeSet::new(), BTreeSet::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut inside = false;
        for (at, line) in text.lines().enumerate() {
            // As the program reads it (`directive` of src/gpu/source.rs); what it would pass over is refused here.
            let Some(words) = line.trim().strip_prefix("//=") else { continue };
            assert!(words.starts_with(' '), "{}:{}: {line}", file.display(), at + 1);
            let fits = match words.split_whitespace().collect::<Vec<_>>()[..] {
                ["piece", name] => {
                    pieces.insert(name.to_owned());
                    !std::mem::replace(&mut inside, true)
                }
                ["insert", name] => {
                    inserted.insert(name.to_owned());
                    !inside
                }
                ["end"] => std::mem::take(&mut inside),
                _ => false,
            };
            assert!(fits, "{}:{}: {line}", file.display(), at + 1);
        }
        assert!(!inside, "{}: a piece has no end", file.display());
    }
    assert!(pieces.len() > 5);
    assert_eq!(pieces, inserted);
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
        "INPUT_PARAMETERS",
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

/// Files of src/, and which of them each one imports, by their places.
struct Imports<'a> {
    sources: &'a [Source],
    places: BTreeMap<&'a [String], usize>,
    /// Of each file the names that it gives to others, and what they stand for.
    given: Vec<BTreeMap<&'a str, Item>>,
}

/// A file, and the words of a path within it.
type Item = (usize, Vec<String>);

impl<'a> Imports<'a> {
    fn of(sources: &'a [Source]) -> Imports<'a> {
        let places = sources.iter().enumerate().map(|(at, source)| (&source.module[..], at)).collect();
        let mut imports = Imports { sources, places, given: Vec::new() };
        let given = |from: usize| {
            let paths = sources[from].given.iter();
            let found = paths.filter_map(|path| Some((&path.last()?[..], imports.find(from, path)?)));
            found.collect::<BTreeMap<_, _>>()
        };
        imports.given = (0..sources.len()).map(given).collect();
        imports
    }

    /// What a path in a file stands for: by `crate`, `super`, `self` or a module of that file.
    fn find(&self, from: usize, path: &[String]) -> Option<Item> {
        let source = &self.sources[from];
        let inside = |path: &[String]| [&source.module, path].concat();
        let whole = match source.absolute(path) {
            Some(whole) => whole,
            None if path[0] == "self" => inside(&path[1..]),
            None => Some(inside(path))
                .filter(|whole| self.places.contains_key(&whole[..source.module.len() + 1]))?,
        };
        let end = (1..=whole.len()).rev().find(|&end| self.places.contains_key(&whole[..end]))?;
        Some((self.places[&whole[..end]], whole[end..].to_vec()))
    }

    /// The file that something is in, behind all that only gives it on.
    fn behind(&self, (mut file, mut path): Item) -> usize {
        for _ in 0..6 {
            let Some((next, inner)) = path.first().and_then(|name| self.given[file].get(&name[..])) else {
                break;
            };
            path = [&inner[..], &path[1..]].concat();
            file = *next;
        }
        file
    }

    /// The files that a file imports.
    fn files_of(&self, from: usize) -> BTreeSet<usize> {
        let source = &self.sources[from];
        let whole: Vec<_> = source.uses.iter().filter_map(|path| self.find(from, path)).collect();
        // Modules that are imported as such, by their names.
        let modules = whole.iter().filter(|(_, path)| path.is_empty());
        let modules: BTreeMap<_, _> =
            modules.map(|&(file, _)| (self.sources[file].module.last().unwrap(), file)).collect();
        let named = source.named.iter().filter_map(|path| match modules.get(&path[0]) {
            Some(&file) => Some((file, path[1..].to_vec())),
            None => self.find(from, path),
        });
        let files = whole.iter().cloned().chain(named).map(|item| self.behind(item));
        files.filter(|&file| file != from).collect()
    }

    /// Knots: files that import each other, however far around, the largest first.
    fn knots(&self) -> Vec<Vec<&'a str>> {
        let edges: Vec<_> = (0..self.sources.len()).map(|file| self.files_of(file)).collect();
        let reached = |file: usize| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![file]);
            while let Some(file) = open.pop() {
                open.extend(edges[file].iter().filter(|&&next| seen.insert(next)));
            }
            seen
        };
        let reached: Vec<_> = (0..self.sources.len()).map(reached).collect();
        let knot = |file: usize| {
            let members = reached[file].iter().filter(|&&other| reached[other].contains(&file));
            members.map(|&other| &self.sources[other].file[..]).collect::<Vec<_>>()
        };
        let mut knots: Vec<_> = BTreeSet::from_iter((0..edges.len()).map(knot)).into_iter().collect();
        knots.sort_by_key(|knot| std::cmp::Reverse(knot.len()));
        knots
    }
}

/// Files that import each other are understood together only, so these are few, and in one wing.
#[test]
fn knots_of_imports_are_small() {
    let source = |file: &str, text: &str| Source::of(file, text);
    let three = [
        source("a/mod.rs", "pub mod b;\npub use b::{B, inner::C};\nmod d;"),
        source("a/b.rs", "use super::d;\nfn b() { d::e() }"),
        source("a/d.rs", "use crate::a::B;"),
        source("f/mod.rs", "use crate::a::C;"),
    ];
    assert_eq!(Imports::of(&three).knots()[0], ["a/b.rs", "a/d.rs"]);
    let sources = sources("");
    let knots = Imports::of(&sources).knots();
    println!("{} files, the largest knot of {}", sources.len(), knots[0].len());
    assert!((2..=15).contains(&knots[0].len()), "{}: {:?}", knots[0].len(), knots[0]);
    for knot in knots {
        let wings: BTreeSet<_> = knot.iter().map(|file| file.split('/').next()).collect();
        assert!(wings.len() < 2, "{knot:?}");
    }
}
