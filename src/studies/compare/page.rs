//! The comparison as one web page that needs nothing from the network.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::bars::{self, Bar, Segment};
use super::roofline::roofline;
use super::run::{Kernel, Run, sections};
use super::table::{Row, factor, figure, notes, rows};

/// The page's style: colours of the sections for light and dark screens, both with a contrast of at least 4.5
/// between a section's colour and the text on it.
const STYLE: &str = include_str!("page.css");

/// The whole page.
pub(super) fn page(runs: &[Run]) -> Markup {
    let title = match runs {
        [run] => format!("Timing breakdown of {}", run.label),
        _ => "Timing breakdowns, side by side".to_owned(),
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // An empty icon, so that no browser asks for one.
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    ol.runs {
                        @for run in runs {
                            li { b { (run.label) } " " span { (run.program) ", " (run.device) } }
                        }
                    }
                }
                main {
                    (throughput(runs))
                    (breakdown(runs))
                    (figures(runs))
                    (rooflines(runs))
                    (kernels(runs))
                    (settings(runs))
                }
                footer {
                    "Made by clamps compare, CLAMPS " (crate::base::version::VERSION) ", "
                    (jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC"))
                }
            }
        }
    }
}

fn throughput(runs: &[Run]) -> Markup {
    let rates: Vec<Bar> = runs
        .iter()
        .map(|run| {
            let rate = run.atom_steps_per_second().map(|rate| rate * 1e-6);
            let text = rate.map_or("no rate".into(), figure);
            Bar {
                label: run.label.clone(),
                total: text.clone(),
                segments: vec![Segment {
                    name: String::new(),
                    class: "rate".into(),
                    value: rate.unwrap_or(0.0),
                    text: format!("{text} Matom-steps/s"),
                }],
            }
        })
        .collect();
    html! {
        section {
            h2 { "Throughput" }
            p.unit { "Million atom steps per second; more is faster" }
            (bars::bars(&rates))
        }
    }
}

/// Stacked bars: the time itself, and its shares.
fn breakdown(runs: &[Run]) -> Markup {
    let names = sections(runs);
    if names.is_empty() {
        return html! { section { h2 { "Where the time goes" } p { "None of the runs was timed." } } };
    }
    let work = |run: &Run| run.atoms as f64 * run.steps as f64;
    let same = runs.iter().all(|run| run.atoms == runs[0].atoms && run.steps == runs[0].steps);
    let unit = if same { "s" } else { "ns" };
    let scale = |run: &Run| match same {
        true => 1.0,
        false if work(run) > 0.0 => 1e9 / work(run),
        false => 0.0,
    };
    let stacks = |total: &dyn Fn(&Run) -> String, length: &dyn Fn(&Run, f64) -> f64| -> Vec<Bar> {
        runs.iter()
            .map(|run| {
                let segment = |(name, seconds): &(String, f64)| Segment {
                    name: name.clone(),
                    class: bars::class(name).to_owned(),
                    value: length(run, *seconds),
                    text: format!(
                        "{} {unit}, {:.1} %",
                        figure(seconds * scale(run)),
                        run.percent(name).unwrap_or(0.0)
                    ),
                };
                let segments = names.iter().filter_map(|name| run.sections.iter().find(|row| row.0 == *name));
                Bar { label: run.label.clone(), total: total(run), segments: segments.map(segment).collect() }
            })
            .collect()
    };
    let total = |run: &Run| match run.sections.is_empty() {
        true => "not timed".into(),
        false => format!("{} {unit}", figure(run.loop_seconds * scale(run))),
    };
    let largest = |run: &Run| {
        let rows = run.sections.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        rows.map_or("not timed".into(), |(name, _)| {
            format!("{name} {:.1} %", run.percent(name).unwrap_or(0.0))
        })
    };
    html! {
        section {
            h2 { "Where the time goes" }
            (bars::legend(&names))
            h3 { @if same { "Seconds of the loop" } @else { "Nanoseconds per atom and step" } }
            p.unit {
                @if same { "Less is faster" }
                @else { "The runs differ in atoms or steps; this makes their times comparable. Less is faster" }
            }
            (bars::bars(&stacks(&total, &|run, seconds| seconds * scale(run))))
            h3 { "Shares of the loop" }
            p.unit { "The largest row is named at the right" }
            (bars::bars(&stacks(&largest, &|run, seconds| seconds / run.loop_seconds)))
        }
    }
}

/// The table of the terminal.
fn figures(runs: &[Run]) -> Markup {
    let cell = |row: &Row, index: usize| {
        html! {
            td.number {
                (row.values[index].map_or("–".into(), figure))
                @let percent = row.percent[index].map(|percent| format!("{percent:.1} %"));
                @let ratio = row.ratio(index).map(|ratio| format!("×{}", factor(ratio)));
                @if percent.is_some() || ratio.is_some() {
                    small { @if let Some(percent) = percent { (percent) " " } @if let Some(ratio) = ratio { b { (ratio) } } }
                }
            }
        }
    };
    let rows = rows(runs);
    html! {
        section {
            h2 { "Figures" }
            (table("Figures", runs, rows.iter().map(|row| {
                (html! { (row.name) }, (0..runs.len()).map(|index| cell(row, index)).collect())
            })))
            ul.notes { @for note in notes(runs) { li { (note.replacen("x1.23", "×1.23", 1)) } } }
        }
    }
}

fn rooflines(runs: &[Run]) -> Markup {
    let plots: Vec<Markup> = runs.iter().filter_map(roofline).collect();
    html! {
        section {
            h2 { "Roofline of the kernels" }
            @if plots.is_empty() {
                p {
                    "Left out: it takes JSON records with the bytes and operations of each kernel, and with the \
                     copy bandwidth and peak of their device; none of these runs has them."
                }
            } @else {
                p.unit {
                    "The ceiling is the lesser of the device's peak and the intensity times its copy bandwidth. \
                     Caches can lift a kernel above it. Kernels that compute nothing with floating point have no \
                     point."
                }
            }
            @for plot in plots { (plot) }
        }
    }
}

/// Every kernel and transfer of the runs that come with them, side by side.
fn kernels(runs: &[Run]) -> Markup {
    let recorded: Vec<Run> = runs.iter().filter(|run| !run.kernels.is_empty()).cloned().collect();
    let find = |run: &Run, section: &str, name: &str| {
        run.kernels.iter().find(|kernel| kernel.section == section && kernel.name == name).cloned()
    };
    let mut names: Vec<(&str, &str)> = Vec::new();
    for kernel in recorded.iter().flat_map(|run| &run.kernels) {
        if !names.contains(&(&kernel.section, &kernel.name)) {
            names.push((&kernel.section, &kernel.name));
        }
    }
    // By section, and what takes longest first.
    let order = sections(&recorded);
    let longest = |(section, name): &(&str, &str)| {
        let kernels = recorded.iter().filter_map(|run| find(run, section, name));
        kernels.map(|kernel| kernel.seconds).fold(0.0, f64::max)
    };
    names.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
    names.sort_by_key(|(section, _)| order.iter().position(|known| known == section));
    let cell = |kernel: Option<Kernel>| {
        html! {
            td.number {
                @match kernel {
                    Some(Kernel { calls, seconds, bytes, .. }) => {
                        (figure(1e3 * seconds)) " ms"
                        small { (calls) " × " (figure(1e6 * seconds / calls.max(1) as f64)) " µs" }
                        @if bytes > 0.0 { small { (figure(1e-6 * bytes)) " MB copied" } }
                    }
                    None => "–",
                }
            }
        }
    };
    let row = |(section, name): &(&str, &str)| {
        let cells = recorded.iter().map(|run| cell(find(run, section, name))).collect();
        (html! { (name) small { (section) } }, cells)
    };
    html! {
        section {
            h2 { "Kernels and transfers" }
            @if recorded.is_empty() {
                p { "Only JSON records (clamps -json FILE) hold times of kernels; none of these runs comes from one." }
            } @else {
                p.unit { "Device seconds of all calls; calls and the mean time of one" }
                (table("Kernels and transfers", &recorded, names.iter().map(row)))
            }
        }
    }
}

fn settings(runs: &[Run]) -> Markup {
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in runs.iter().flat_map(|run| &run.settings) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let value = |run: &Run, key: &str| {
        let value = run.settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str());
        html! { td { (value.unwrap_or("–")) } }
    };
    let file = |run: &Run| {
        html! {
            td { (run.file.display()) @if run.of > 1 { ", run " (run.number) " of " (run.of) } }
        }
    };
    let files = (html! { "File" }, runs.iter().map(file).collect());
    let rows = keys.iter().map(|key| (html! { (key) }, runs.iter().map(|run| value(run, key)).collect()));
    html! {
        section {
            h2 { "Settings" }
            (table("Settings", runs, std::iter::once(files).chain(rows)))
        }
    }
}

/// A table with a column per run, in a frame that scrolls by itself on narrow screens.
fn table(name: &str, runs: &[Run], rows: impl Iterator<Item = (Markup, Vec<Markup>)>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label=(name) {
            table {
                thead { tr { td {} @for run in runs { th scope="col" { (run.label) } } } }
                tbody {
                    @for (head, cells) in rows { tr { th scope="row" { (head) } @for cell in cells { (cell) } } }
                }
            }
        }
    }
}
