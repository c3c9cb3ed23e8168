//! `info`: what the script has made so far, for somebody who looks for a mistake. Source: LAMMPS manual, `info`; the
//! lines are CLAMPS's own.

use crate::base::error::{Error, Result};
use crate::script::{Args, lammps};
use crate::session::fix;
use crate::session::state::State;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// The lines of one topic.
type Topic = fn(&State) -> Result<Vec<String>>;

const TOPICS: [(&str, Topic); 10] = [
    ("config", config),
    ("system", system),
    ("groups", groups),
    ("regions", regions),
    ("computes", computes),
    ("fixes", fixes),
    ("dumps", dumps),
    ("variables", variables),
    ("time", time),
    ("styles", styles),
];

/// What LAMMPS's `info` knows besides.
const OTHERS: [&str; 4] = ["memory", "communication", "coeffs", "accelerator"];

/// `info TOPICS... [out screen|log|append FILE|overwrite FILE]`, or `info all`.
///
/// # Errors
/// At a word that is no topic, or when the file cannot be written.
pub fn info(state: &mut State, args: &mut Args<'_>) -> Result<()> {
    let (mut lines, mut topics) = (Vec::new(), 0);
    let mut out = "both";
    let mut file = None;
    while let Some(word) = args.peek().filter(|_| file.is_none()) {
        if args.accept("out") {
            let ways = ["screen", "log", "append", "overwrite"].map(|way| (way, way));
            out = args.one_of("place for the output", &ways)?;
            if matches!(out, "append" | "overwrite") {
                file = Some(args.word("a file name")?);
            }
            continue;
        }
        if OTHERS.contains(&&*word.text) {
            return Err(args.unsupported(word, "info topic"));
        }
        topics += 1;
        if args.accept("all") {
            for (_, topic) in TOPICS.iter().filter(|(name, _)| *name != "styles") {
                lines.extend(topic(state)?);
            }
        } else {
            lines.extend(args.one_of("info topic", &TOPICS)?(state)?);
        }
    }
    args.finish()?;
    if topics == 0 {
        args.clone().word("a topic such as all, system or fixes")?;
    }
    match (file, out) {
        (Some(word), out) => {
            let path = Path::new(&word.text);
            let append = out == "append";
            let file =
                OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path);
            file.and_then(|mut file| writeln!(file, "{}", lines.join("\n")))
                .map_err(|err| args.place(word, Error::io("write", path, &err)))?;
        }
        (None, "screen") => lines.iter().for_each(|line| state.output.log.screen(line)),
        (None, "log") => lines.iter().for_each(|line| state.output.log.file(line)),
        (None, _) => lines.iter().for_each(|line| state.output.log.line(line)),
    }
    Ok(())
}

fn config(state: &State) -> Result<Vec<String>> {
    let mut lines = vec![format!("Version: CLAMPS {}", env!("CARGO_PKG_VERSION"))];
    lines.extend(state.device.gpu.as_ref().map(|gpu| format!("Device: {}", gpu.info().name)));
    lines.extend(state.device.precision.map(|precision| format!("Precision: {}", precision.name())));
    Ok(lines)
}

fn system(state: &State) -> Result<Vec<String>> {
    let mut lines = vec![
        format!("Units: {}", state.system.units.name),
        format!("Atom style: {}", state.system.atom_style.name),
        format!("Dimension: {}", state.system.dimension),
    ];
    if let Some(domain) = &state.system.domain {
        lines.push(format!("Box: {}", crate::model::domain::corners(domain.lo, domain.hi)));
        lines.push(format!("Atoms: {}, types: {}", state.atom_count(), state.types()));
        if state.system.atom_style.molecular {
            let topology = &state.system.topology;
            lines.push(format!("Bonds: {}, types: {}", topology.bonds.len(), topology.bond_types));
        }
    }
    Ok(lines)
}

fn groups(state: &State) -> Result<Vec<String>> {
    let system = state.now();
    let named = state.system.groups.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let line = |(place, name): (usize, &String)| {
        let dynamic = if state.system.groups.is_dynamic(1 << place) { ", dynamic" } else { "" };
        Ok(format!("Group {name}: {} atoms{dynamic}", system.count(1 << place)?))
    };
    named.map(line).collect()
}

fn regions(state: &State) -> Result<Vec<String>> {
    let line = |name: &str| match state.system.regions.get(name).and_then(|region| region.bounds()) {
        Some([lo, hi]) => format!("Region {name}: within {}", crate::model::domain::corners(lo, hi)),
        None => format!("Region {name}: without bounds"),
    };
    Ok(state.system.regions.names().map(line).collect())
}

fn computes(state: &State) -> Result<Vec<String>> {
    let line = |header: &crate::session::compute::style::Header| {
        format!("Compute {}: style {}, group {}", header.id, header.style, state.system.groups.name(header.group))
    };
    Ok(state.computes.iter().map(|compute| line(compute.header())).collect())
}

fn fixes(state: &State) -> Result<Vec<String>> {
    let line = |header: &fix::Header| {
        format!("Fix {}: style {}, group {}", header.id, header.style, state.system.groups.name(header.group))
    };
    Ok(state.fixes.iter().map(|fix| line(fix.header())).collect())
}

fn dumps(state: &State) -> Result<Vec<String>> {
    let group = |bit| state.system.groups.name(bit);
    Ok(state.output.dumps.iter().map(|dump| format!("Dump {}: group {}", dump.id(), group(dump.group()))).collect())
}

fn variables(state: &State) -> Result<Vec<String>> {
    let line = |(name, style): (&str, &str)| match state.script.variables.text(name, &state.now()) {
        Ok(text) => format!("Variable {name}: style {style}, value {text}"),
        Err(_) => format!("Variable {name}: style {style}"),
    };
    Ok(state.script.variables.styles().map(line).collect())
}

fn time(state: &State) -> Result<Vec<String>> {
    let seconds = state.clock.started.elapsed().as_secs_f64();
    Ok(vec![format!("Step: {}, wall time: {seconds:.3} seconds", state.clock.step)])
}

fn styles(_: &State) -> Result<Vec<String>> {
    let list = |what: &str, ours: Vec<&str>, theirs: &str| {
        let all = theirs.split_whitespace().count();
        format!("{what} styles, {} of LAMMPS's {all}: {}", ours.len(), ours.join(" "))
    };
    Ok(vec![
        list(
            "Pair",
            crate::potentials::pair::registry::STYLES.iter().map(|(name, ..)| *name).collect(),
            lammps::PAIR_STYLES,
        ),
        list(
            "Bond",
            crate::potentials::bond::registry::STYLES.iter().map(|(name, _)| *name).collect(),
            lammps::BOND_STYLES,
        ),
        list(
            "Fix",
            crate::fixes::registry::STYLES.iter().map(|(name, _)| *name).collect(),
            lammps::FIX_STYLES,
        ),
        list(
            "Compute",
            crate::computes::registry::STYLES.iter().map(|(name, _)| *name).collect(),
            lammps::COMPUTE_STYLES,
        ),
    ])
}
