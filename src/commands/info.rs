//! `info`: what the script has made so far, for somebody who looks for a mistake. Source: LAMMPS manual, `info`; the
//! lines are CLAMPS's own.

use crate::base::error::Result;
use crate::base::files;
use crate::script::{Args, lammps};
use crate::session::Session;
use crate::session::fix;
use std::path::Path;

/// The lines of one topic.
type Topic = fn(&Session) -> Result<Vec<String>>;

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
pub fn info(session: &mut Session, args: &mut Args<'_>) -> Result<()> {
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
                lines.extend(topic(session)?);
            }
        } else {
            lines.extend(args.one_of("info topic", &TOPICS)?(session)?);
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
            files::add_text(path, &(lines.join("\n") + "\n"), append)
                .map_err(|error| args.place(word, error))?;
        }
        (None, "screen") => lines.iter().for_each(|line| session.output.log.screen(line)),
        (None, "log") => lines.iter().for_each(|line| session.output.log.file(line)),
        (None, _) => lines.iter().for_each(|line| session.output.log.line(line)),
    }
    Ok(())
}

fn config(session: &Session) -> Result<Vec<String>> {
    let mut lines = vec![format!("Version: CLAMPS {}", env!("CARGO_PKG_VERSION"))];
    lines.extend(session.device.gpu.as_ref().map(|gpu| format!("Device: {}", gpu.info().name)));
    lines.extend(session.device.precision.map(|precision| format!("Precision: {}", precision.name())));
    Ok(lines)
}

fn system(session: &Session) -> Result<Vec<String>> {
    let mut lines = vec![
        format!("Units: {}", session.system.units.name),
        format!("Atom style: {}", session.system.atom_style.name),
        format!("Dimension: {}", session.system.dimension),
    ];
    if let Some(domain) = &session.system.domain {
        lines.push(format!("Box: {}", crate::model::domain::corners(domain.lo, domain.hi)));
        lines.push(format!("Atoms: {}, types: {}", session.atom_count(), session.types()));
        if session.system.atom_style.molecular {
            let topology = &session.system.topology;
            lines.push(format!("Bonds: {}, types: {}", topology.bonds.len(), topology.bond_types));
        }
    }
    Ok(lines)
}

fn groups(session: &Session) -> Result<Vec<String>> {
    let system = session.now();
    let named = session.system.groups.names.iter().enumerate().filter(|(_, name)| !name.is_empty());
    let line = |(place, name): (usize, &String)| {
        let dynamic = if session.system.groups.is_dynamic(1 << place) { ", dynamic" } else { "" };
        Ok(format!("Group {name}: {} atoms{dynamic}", system.count(1 << place)?))
    };
    named.map(line).collect()
}

fn regions(session: &Session) -> Result<Vec<String>> {
    let line = |name: &str| match session.system.regions.get(name).and_then(|region| region.bounds()) {
        Some([lo, hi]) => format!("Region {name}: within {}", crate::model::domain::corners(lo, hi)),
        None => format!("Region {name}: without bounds"),
    };
    Ok(session.system.regions.names().map(line).collect())
}

fn computes(session: &Session) -> Result<Vec<String>> {
    let line = |header: &crate::session::compute::style::Header| {
        format!(
            "Compute {}: style {}, group {}",
            header.id,
            header.style,
            session.system.groups.name(header.group)
        )
    };
    Ok(session.computes.iter().map(|compute| line(compute.header())).collect())
}

fn fixes(session: &Session) -> Result<Vec<String>> {
    let line = |header: &fix::Header| {
        format!(
            "Fix {}: style {}, group {}",
            header.id,
            header.style,
            session.system.groups.name(header.group)
        )
    };
    Ok(session.fixes.iter().map(|fix| line(fix.header())).collect())
}

fn dumps(session: &Session) -> Result<Vec<String>> {
    let group = |bit| session.system.groups.name(bit);
    Ok(session
        .output
        .dumps
        .iter()
        .map(|dump| format!("Dump {}: group {}", dump.id(), group(dump.group())))
        .collect())
}

fn variables(session: &Session) -> Result<Vec<String>> {
    let line = |(name, style): (&str, &str)| match session.script.variables.text(name, &session.now()) {
        Ok(text) => format!("Variable {name}: style {style}, value {text}"),
        Err(_) => format!("Variable {name}: style {style}"),
    };
    Ok(session.script.variables.styles().map(line).collect())
}

fn time(session: &Session) -> Result<Vec<String>> {
    let seconds = session.clock.started.elapsed().as_secs_f64();
    Ok(vec![format!("Step: {}, wall time: {seconds:.3} seconds", session.clock.step)])
}

fn styles(_: &Session) -> Result<Vec<String>> {
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
