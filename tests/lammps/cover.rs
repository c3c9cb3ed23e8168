//! What of CLAMPS the scripts of the three thirds have between them: all that any script has.

use super::{BY_TURNS, ONLY_WITH_FULL, common};
use clamps::commands::interpreter;
use clamps::potentials::{bond, pair};
use std::collections::{BTreeMap, BTreeSet};

/// Commands with a style, and which word says it. A pair style is wherever its name stands, also in a hybrid one or in a variable that a
/// script puts behind `pair_style`; so is a bond style.
const STYLE_WORDS: [(&str, usize); 21] = [
    ("atom_style", 1),
    ("boundary", 1),
    ("change_box", 2),
    ("compute", 3),
    ("create_atoms", 2),
    ("create_bonds", 1),
    ("delete_atoms", 1),
    ("dimension", 1),
    ("displace_atoms", 2),
    ("dump", 3),
    ("fix", 3),
    ("group", 2),
    ("lattice", 1),
    ("min_style", 1),
    ("region", 2),
    ("set", 1),
    ("thermo_style", 1),
    ("units", 1),
    ("variable", 2),
    ("velocity", 2),
    ("write_dump", 2),
];

/// The commands of a text and their styles, as `COMMAND` and `COMMAND STYLE`.
fn used(text: &str) -> BTreeSet<String> {
    let pairs = pair::registry::STYLES.iter().chain(pair::registry::MANY_BODY_STYLES).map(|(name, _)| *name);
    let pairs: BTreeSet<&str> = pairs.collect();
    let bonds: BTreeSet<&str> = bond::registry::STYLES.iter().map(|(name, _)| *name).collect();
    let mut used = BTreeSet::new();
    for line in text.replace("&\n", " ").lines() {
        let line = line.split('#').next().unwrap_or_default().replace(['"', '\''], " ");
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(&command) = words.first().filter(|word| interpreter::is_command(word)) else { continue };
        used.insert(command.to_owned());
        let place = STYLE_WORDS.iter().find(|(name, _)| *name == command).map(|(_, place)| *place);
        // What a variable decides is seen where the variable gets it.
        if let Some(style) = place.and_then(|place| words.get(place)).filter(|style| !style.contains('$')) {
            used.insert(format!("{command} {style}"));
        }
        for (kind, names) in [("pair", &pairs), ("bond", &bonds)] {
            let (style, coeff) = (format!("{kind}_style"), format!("{kind}_coeff"));
            // Words of a variable behind its name and style count for what stands in front of it in the script.
            let decides = |name: &str| {
                let (short, long) = (format!("${name}"), format!("${{{name}}}"));
                let mut lines =
                    text.lines().filter(|line| line.starts_with(&style) || line.starts_with(&coeff));
                lines.any(|line| line.contains(&long) || name.len() == 1 && line.contains(&short))
            };
            let words = match words[..] {
                [_, ref words @ ..] if command == style || command == coeff => words,
                ["variable", name, _, ref words @ ..] if decides(name) => words,
                _ => continue,
            };
            used.extend(
                words.iter().filter(|word| names.contains(*word)).map(|word| format!("{style} {word}")),
            );
        }
    }
    used
}

/// Each command, and each style of a pair, a bond, a fix, a compute, a region and so on, that any script has is in one of the thirds; and a
/// script that runs only with CLAMPS_TESTS=full has nothing of its own.
#[test]
fn each_style_is_tested() {
    let of = |name: &str| used(&common::lammps_text(&format!("{name}.in")));
    let by_turns: BTreeSet<String> = BY_TURNS.iter().flat_map(|name| of(name)).collect();
    assert!(by_turns.len() > 400, "{}", by_turns.len());
    let mut left: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in ONLY_WITH_FULL {
        for own in of(name).difference(&by_turns) {
            left.entry(own.clone()).or_default().push(name);
        }
    }
    assert!(left.is_empty(), "let one of the scripts behind each of these be in a third: {left:#?}");
    println!("{} scripts only with CLAMPS_TESTS=full: {}", ONLY_WITH_FULL.len(), ONLY_WITH_FULL.join(" "));
}
