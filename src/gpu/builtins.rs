//! Declarations of OpenCL's built-in functions, in place of those of the compiler's header: clang's opencl-c.h has 12,000 and takes 80 ms of
//! each program. A program gets those whose names are in its text. Types and attributes are as in the header, as both decide what the compiler
//! makes of a call, and of a name all are declared, as a call takes the one that fits best. The constants and types of OpenCL come from
//! opencl-c-base.h.

use super::program::words;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

const FLOATS: &[&str] = &["float", "double"];
const INTEGERS: &[&str] = &["int", "uint", "long", "ulong"];
const NUMBERS: &[&str] = &["int", "uint", "long", "ulong", "float", "double"];
const NARROW: &[&str] = &["char", "uchar", "short", "ushort"];
const STORED: &[&str] = &["int", "uint", "long", "ulong", "float", "double", "ushort"];
const ALL: &[&str] = &["", "2", "3", "4", "8", "16"];
const VECTORS: &[&str] = &["2", "3", "4", "8", "16"];
const SCALAR: &[&str] = &[""];
const THREE: &[&str] = &["3"];

/// Attributes, by macros of [`BEGIN`].
const CONST: &str = "BUILTIN_CONST";
const PURE: &str = "BUILTIN_PURE";
const PLAIN: &str = "BUILTIN_PLAIN";
const CONVERGENT: &str = "BUILTIN_CONVERGENT";

/// Functions that are declared alike: names, types, widths of vectors, attributes, and the declaration of a name `@` for a type `$` and a
/// width `#`, which a name may have, too.
type Row = (&'static str, &'static [&'static str], &'static [&'static str], &'static str, &'static str);

const BUILTINS: &[Row] = &[
    // Work-items.
    ("get_work_dim", &["uint"], SCALAR, CONST, "$ @(void);"),
    ("get_global_size get_global_id get_local_size get_local_id", &["size_t"], SCALAR, CONST, "$ @(uint);"),
    ("get_num_groups get_group_id get_global_offset", &["size_t"], SCALAR, CONST, "$ @(uint);"),
    ("barrier", &["void"], SCALAR, CONVERGENT, "$ @(cl_mem_fence_flags);"),
    ("mem_fence", &["void"], SCALAR, PLAIN, "$ @(cl_mem_fence_flags);"),
    // Of one, two and three numbers.
    ("acos asin atan ceil cos cosh cospi erf erfc exp exp2 fabs", FLOATS, ALL, CONST, "$# @($#);"),
    ("floor log log2 rint rsqrt sin sinh sinpi sqrt tan tanh trunc", FLOATS, ALL, CONST, "$# @($#);"),
    ("native_recip", &["float"], ALL, CONST, "$# @($#);"),
    ("fmax fmin pow powr", FLOATS, ALL, CONST, "$# @($#, $#);"),
    ("fma", FLOATS, ALL, CONST, "$# @($#, $#, $#);"),
    ("max min", NUMBERS, ALL, CONST, "$# @($#, $#);"),
    ("clamp", NUMBERS, ALL, CONST, "$# @($#, $#, $#);"),
    ("mul_hi", INTEGERS, ALL, CONST, "$# @($#, $#);"),
    ("clz popcount", INTEGERS, SCALAR, CONST, "$ @($);"),
    // As an int a narrow number would have more bits.
    ("mul_hi", NARROW, SCALAR, CONST, "$ @($, $);"),
    ("clz popcount", NARROW, SCALAR, CONST, "$ @($);"),
    ("cbrt log10", FLOATS, SCALAR, CONST, "$ @($);"),
    ("atan2 fmod", FLOATS, SCALAR, CONST, "$ @($, $);"),
    // Of vectors and a number.
    ("fmax fmin", FLOATS, VECTORS, CONST, "$# @($#, $);"),
    ("max min", NUMBERS, VECTORS, CONST, "$# @($#, $);"),
    ("clamp", NUMBERS, VECTORS, CONST, "$# @($#, $, $);"),
    // Geometry.
    ("dot", FLOATS, &["", "2", "3", "4"], CONST, "$ @($#, $#);"),
    ("cross", FLOATS, &["3", "4"], CONST, "$# @($#, $#);"),
    // Choices.
    ("select", &["int", "uint"], ALL, CONST, "$# @($#, $#, int#); $# @($#, $#, uint#);"),
    ("select", &["long", "ulong"], ALL, CONST, "$# @($#, $#, long#); $# @($#, $#, ulong#);"),
    ("select", &["float"], ALL, CONST, "$# @($#, $#, int#); $# @($#, $#, uint#);"),
    ("select", &["double"], ALL, CONST, "$# @($#, $#, long#); $# @($#, $#, ulong#);"),
    ("all any", &["int", "long"], ALL, CONST, "int @($#);"),
    ("isfinite", &["float"], ALL, CONST, "int# @($#);"),
    ("isfinite", &["double"], SCALAR, CONST, "int @($);"),
    ("isfinite", &["double"], VECTORS, CONST, "long# @($#);"),
    // Conversions.
    ("convert_int#", NUMBERS, ALL, CONST, "int# @($#);"),
    ("convert_int#", &["ushort"], ALL, CONST, "int# @($#);"),
    ("convert_uint#", NUMBERS, ALL, CONST, "uint# @($#);"),
    ("convert_long#", NUMBERS, ALL, CONST, "long# @($#);"),
    ("convert_ulong#", NUMBERS, ALL, CONST, "ulong# @($#);"),
    ("convert_float#", NUMBERS, ALL, CONST, "float# @($#);"),
    ("convert_double#", NUMBERS, ALL, CONST, "double# @($#);"),
    ("convert_ushort#", NUMBERS, THREE, CONST, "ushort# @($#);"),
    ("convert_int#_sat_rte", NUMBERS, THREE, CONST, "int# @($#);"),
    ("convert_long#_rte", NUMBERS, THREE, CONST, "long# @($#);"),
    // Vectors in memory.
    ("vload#", STORED, VECTORS, PURE, "$# @(size_t, const __global $ *); $# @(size_t, const __local $ *);"),
    (
        "vload#",
        STORED,
        VECTORS,
        PURE,
        "$# @(size_t, const __private $ *); $# @(size_t, const __constant $ *);",
    ),
    ("vstore#", STORED, VECTORS, PLAIN, "void @($#, size_t, __global $ *); void @($#, size_t, __local $ *);"),
    ("vstore#", STORED, VECTORS, PLAIN, "void @($#, size_t, __private $ *);"),
    // Atomics.
    ("atomic_inc", &["int", "uint"], SCALAR, PLAIN, "$ @(volatile __global $ *); $ @(volatile __local $ *);"),
    (
        "atomic_add atomic_sub atomic_xchg atomic_min atomic_max atomic_or atomic_and",
        &["int", "uint"],
        SCALAR,
        PLAIN,
        "$ @(volatile __global $ *, $); $ @(volatile __local $ *, $);",
    ),
    (
        "atomic_cmpxchg",
        &["int", "uint"],
        SCALAR,
        PLAIN,
        "$ @(volatile __global $ *, $, $); $ @(volatile __local $ *, $, $);",
    ),
    ("atom_cmpxchg", &["long", "ulong"], SCALAR, PLAIN, "$ @(volatile __global $ *, $, $);"),
];

/// What PoCL from 4 on needs besides: there pointers without an address space may be to any.
const OF_ANY_SPACE: &[Row] = &[
    ("vload#", STORED, VECTORS, PURE, "$# @(size_t, const $ *);"),
    ("vstore#", STORED, VECTORS, PLAIN, "void @($#, size_t, $ *);"),
];

const BEGIN: &str = "#line 1 \"builtins\"
#define BUILTIN_PLAIN __attribute__((overloadable))
#define BUILTIN_CONST __attribute__((overloadable)) __attribute__((const))
#define BUILTIN_PURE __attribute__((overloadable)) __attribute__((pure))
#define BUILTIN_CONVERGENT __attribute__((overloadable)) __attribute__((convergent))
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
";

/// The declarations that go before a program's text. Without `fp64` none has doubles; `any_space`: pointers without an address space may be to
/// any where the compiler says so.
pub(super) fn declarations(source: &str, fp64: bool, any_space: bool) -> String {
    let used = used(source);
    let mut text = String::from(BEGIN);
    declare(&mut text, BUILTINS, &used, fp64);
    if any_space {
        text.push_str("#ifdef __opencl_c_generic_address_space\n");
        declare(&mut text, OF_ANY_SPACE, &used, fp64);
        text.push_str("#endif\n");
    }
    text
}

fn declare(text: &mut String, rows: &[Row], used: &HashSet<Cow<'_, str>>, fp64: bool) {
    for (names, types, widths, attributes, declaration) in rows {
        for (name, width) in names.split(' ').flat_map(|name| widths.iter().map(move |width| (name, *width)))
        {
            let name = name.replace('#', width);
            if !used.contains(&*name) || !fp64 && name.contains("double") {
                continue;
            }
            let named = declaration.replace('@', &format!("{attributes} {name}")).replace('#', width);
            for kind in types.iter().filter(|kind| fp64 || **kind != "double") {
                text.push_str(&named.replace('$', kind));
                text.push('\n');
            }
        }
    }
}

/// The words that a text uses: but for those of comments and of macros that it does not use, and with those that `JOIN` makes of others
/// (cl/common/common.cl), and all macros that begin as `NAME_##` does.
fn used(source: &str) -> HashSet<Cow<'_, str>> {
    let mut macros: HashMap<&str, Vec<&str>> = HashMap::new();
    let (mut todo, mut of_macro) = (Vec::new(), None);
    for line in source.lines() {
        let code = line.split("//").next().unwrap_or_default();
        let defined = code
            .strip_prefix("#define ")
            .map(|rest| rest.split_at(rest.find([' ', '(']).unwrap_or(rest.len())));
        if let Some((name, value)) = defined.or(of_macro.map(|name| (name, code))) {
            macros.entry(name).or_default().push(value.trim());
            of_macro = line.ends_with('\\').then_some(name);
        } else {
            todo.push(code);
        }
    }
    let mut used = HashSet::new();
    while let Some(code) = todo.pop() {
        for (word, pasted) in words(code) {
            if used.insert(Cow::Borrowed(word)) {
                todo.extend(macros.get(word).into_iter().flatten());
            }
            for (name, values) in macros.iter().filter(|(name, _)| pasted && name.starts_with(word)) {
                if used.insert(Cow::Borrowed(*name)) {
                    todo.extend(values);
                }
            }
        }
        for (at, _) in code.match_indices("JOIN(") {
            used.extend(joined(&code[at..], &macros).into_iter().map(Cow::Owned));
        }
    }
    used
}

/// What a word or `JOIN(FIRST, SECOND)` at the beginning of a text may stand for: as many as its macros have values.
fn joined(text: &str, macros: &HashMap<&str, Vec<&str>>) -> Vec<String> {
    let Some(inside) = text.strip_prefix("JOIN(") else {
        let word = words(text).next().map_or("", |(word, _)| word);
        return match macros.get(word) {
            Some(values) => values.iter().flat_map(|value| joined(value, macros)).collect(),
            None => vec![word.to_owned()],
        };
    };
    let Some((first, second)) = inside.split_once(", ") else { return Vec::new() };
    let (firsts, seconds) = (joined(first, macros), joined(second, macros));
    firsts.iter().flat_map(|first| seconds.iter().map(move |second| format!("{first}{second}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{declarations, used, words};
    use std::collections::BTreeSet;
    use std::path::Path;

    #[test]
    fn a_text_has_the_declarations_that_it_uses() {
        let text = "#define VW 16
#define REAL float
#define REAL double
#define LOADV(p) JOIN(vload, VW)(0, p)
#define TO_REAL JOIN(convert_, JOIN(REAL, VW))
#define LONGER(x) \\
    sqrt(x)
#define NOT_USED(x) log(x)
#define PUT(width) PUT_##width(c, 0, p)
#define PUT_4 vstore4
a = TO_REAL(LONGER(LOADV(p))); // no exp
b = JOIN(convert_uint, VW)(a);
PUT(4);
";
        let words = used(text);
        for word in ["vload16", "convert_float16", "convert_double16", "convert_uint16", "sqrt", "vstore4"] {
            assert!(words.contains(word), "{word}");
        }
        for word in ["log", "exp", "convert_float"] {
            assert!(!words.contains(word), "{word}");
        }
        let single = declarations(text, false, false);
        assert!(single.contains("float16 BUILTIN_CONST convert_float16(int16);\n"));
        assert!(single.contains("float3 BUILTIN_CONST sqrt(float3);\n"));
        assert!(single.contains("float16 BUILTIN_PURE vload16(size_t, const __constant float *);\n"));
        assert!(!single.contains("double"));
    }

    /// What kernel files call and do not define is declared.
    #[test]
    fn all_that_kernel_files_call_is_declared() {
        // The language's words, what only compilers of GPUs have, parameters of macros, and functions that macros define.
        const OTHERS: &str = "defined for if return sizeof switch volatile while reqd_work_group_size vector_size \
            atomic_fetch_add_explicit intel_reqd_sub_group_size sub_group_shuffle_xor \
            add add_whole evaluate m potential stages width";
        fn texts(folder: &Path, all: &mut String) {
            for entry in
                std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
            {
                if entry.is_dir() {
                    texts(&entry, all);
                } else {
                    all.push_str(&std::fs::read_to_string(entry).expect("text"));
                }
            }
        }
        let mut text = String::new();
        texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("cl"), &mut text);
        let (mut called, mut defined) = (BTreeSet::new(), BTreeSet::new());
        for code in text.lines().filter_map(|line| line.split("//").next()) {
            for (word, _) in words(code) {
                let at = word.as_ptr() as usize - code.as_ptr() as usize;
                let (before, after) = (code[..at].trim_end_matches(['*', ' ']), &code[at + word.len()..]);
                let typed =
                    before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && before.len() < at;
                if typed && !before.ends_with("return") && !before.ends_with("else") {
                    defined.insert(word);
                } else if after.starts_with('(') {
                    called.insert(word);
                }
            }
        }
        let known = declarations(&text, true, true);
        let known: BTreeSet<&str> = words(&known).map(|(word, _)| word).chain(OTHERS.split(' ')).collect();
        let is_small =
            |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.starts_with("as_");
        let missing = called.difference(&defined).filter(|word| is_small(word) && !known.contains(*word));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
