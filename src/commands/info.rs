//! `info`: what the script has made so far, for somebody who looks for a mistake. Source: LAMMPS manual, `info`; the
//! lines are CLAMPS's own.

use crate::base::error::Result;
use crate::base::files;
use crate::commands::region::styles as region_styles;
use crate::model::atom_style::{ATOM_STYLES, HYBRID};
use crate::model::units::ALL;
use crate::script::{Args, lammps};
use crate::session::Session;
use crate::session::fix;
use std::path::Path;

/// The lines of one topic.
type Topic = fn(&Session) -> Result<Vec<String>>;

const TOPICS: [(&str, Topic); 13] = [
    ("config", config),
    ("system", system),
    ("groups", groups),
    ("regions", regions),
    ("computes", computes),
    ("fixes", fixes),
    ("dumps", dumps),
    ("variables", variables),
    ("time", time),
    ("memory", memory),
    ("communication", communication),
    ("coeffs", coeffs),
    ("accelerator", accelerator),
];

/// `info TOPICS... [out screen|log|append FILE|overwrite FILE]`, or `info all`; `info styles [KIND]`. As in LAMMPS a word
/// that is no topic is passed over, with a warning.
///
/// # Errors
/// When there is no topic, or the file cannot be written.
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
        topics += 1;
        if args.accept("all") {
            for (_, topic) in TOPICS {
                lines.extend(topic(session)?);
            }
        } else if args.accept("styles") {
            lines.extend(styles(args));
        } else if let Some((_, topic)) = TOPICS.iter().find(|(name, _)| *name == word.text) {
            args.accept(&word.text);
            lines.extend(topic(session)?);
        } else {
            args.accept(&word.text);
            let known = TOPICS.map(|(name, _)| name).join(" ");
            let line = format!("WARNING: info: '{}' is no topic (known: all styles {known})", word.text);
            session.output.log.line(&line);
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
        format!("Atom style: {}", session.system.atom_style.words()),
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

/// What `info styles` lists, and of each kind those of CLAMPS and those of LAMMPS.
fn kinds() -> [(&'static str, Vec<&'static str>, &'static str); 13] {
    use crate::potentials::{bond, pair};
    let atoms = ATOM_STYLES.iter().map(|style| style.name).chain([HYBRID]);
    let pairs = pair::registry::STYLES.iter().chain(pair::registry::MANY_BODY_STYLES).map(|(name, ..)| *name);
    let pairs = pairs.chain(["hybrid", "hybrid/overlay", "hybrid/scaled"]);
    let bonds = bond::registry::STYLES.iter().map(|(name, _)| *name).chain(["hybrid"]);
    [
        ("atom", atoms.collect(), lammps::ATOM_STYLES),
        ("pair", pairs.collect(), lammps::PAIR_STYLES),
        ("bond", bonds.collect(), lammps::BOND_STYLES),
        ("angle", Vec::new(), lammps::ANGLE_STYLES),
        ("dihedral", Vec::new(), lammps::DIHEDRAL_STYLES),
        ("improper", Vec::new(), lammps::IMPROPER_STYLES),
        ("kspace", Vec::new(), lammps::KSPACE_STYLES),
        ("fix", crate::fixes::registry::STYLES.iter().map(|(name, _)| *name).collect(), lammps::FIX_STYLES),
        (
            "compute",
            crate::computes::registry::STYLES.iter().map(|(name, _)| *name).collect(),
            lammps::COMPUTE_STYLES,
        ),
        ("dump", super::dump::STYLES.iter().map(|(name, _)| *name).collect(), lammps::DUMP_STYLES),
        ("region", region_styles().collect(), lammps::REGION_STYLES),
        ("units", ALL.iter().map(|units| units.name).collect(), lammps::UNITS),
        ("command", super::interpreter::names().collect(), lammps::COMMANDS),
    ]
}

/// Whether there is a style of a kind of a name; `None` where there is no such kind.
pub(super) fn has_style(kind: &str, name: &str) -> Option<bool> {
    let (_, ours, _) = kinds().into_iter().find(|(known, ..)| *known == kind)?;
    Some(ours.contains(&name))
}

/// The styles of a kind, and how many of LAMMPS's they are.
fn styles_of(kind: &str, mut ours: Vec<&str>, theirs: &str) -> String {
    ours.sort_unstable();
    let all: Vec<&str> = theirs.split_whitespace().collect();
    let known = ours.iter().filter(|name| all.contains(name)).count();
    let kind = kind[..1].to_uppercase() + &kind[1..];
    let list = if ours.is_empty() { "none".to_owned() } else { ours.join(" ") };
    let what = match &*kind {
        "Units" => "Unit systems".to_owned(),
        "Command" => "Commands".to_owned(),
        _ => format!("{kind} styles"),
    };
    format!("{what}, {known} of LAMMPS's {}: {list}", all.len())
}

/// Takes what follows `styles`: a kind, or nothing, for all of them.
fn styles(args: &mut Args<'_>) -> Vec<String> {
    let kind = args.peek().filter(|word| {
        let names = kinds();
        word.text == "all" || names.iter().any(|(kind, ..)| *kind == word.text)
    });
    let kind = kind.map(|word| {
        args.accept(&word.text);
        &*word.text
    });
    let wanted = |name: &str| kind.is_none_or(|kind| kind == "all" || kind == name);
    let chosen = kinds().into_iter().filter(|(name, ..)| wanted(name));
    chosen.map(|(name, ours, theirs)| styles_of(name, ours, theirs)).collect()
}

/// The coefficients that are known now.
fn coeffs(session: &Session) -> Result<Vec<String>> {
    let style = |kind: &str, name: Option<&str>| match name {
        Some(name) => {
            format!("{kind} style: {name}, given by {kind}_coeff; `write_coeff` writes the numbers")
        }
        None => format!("{kind} style: none"),
    };
    let field = &session.force_field;
    Ok(vec![
        style("pair", field.pair.as_ref().map(|pair| pair.name())),
        style("bond", field.bonded.as_ref().map(|bonded| bonded.style.name())),
    ])
}

/// Processes, of which there is one.
fn communication(_: &Session) -> Result<Vec<String>> {
    Ok(vec!["Communication: one process, without ghost atoms".to_owned()])
}

/// What the atoms take on the host.
fn memory(session: &Session) -> Result<Vec<String>> {
    Ok(vec![format!("Memory: {} atoms; a run says in its log what it takes", session.atom_count())])
}

/// The device takes the place of accelerator packages.
fn accelerator(session: &Session) -> Result<Vec<String>> {
    let device = session.device.gpu.as_ref().map_or("opened by the first run", |gpu| &gpu.info().name);
    Ok(vec![format!("Accelerator: OpenCL, device {device}")])
}
