//! Horizontal bars as inline SVG. Lengths are percentages and heights pixels, so that bars follow the width of
//! the page and text keeps its size.

use maud::{Markup, html};

/// Height of a bar in pixels.
const HEIGHT: u32 = 28;

/// The share of the width that a segment needs to show its name on a telephone: its padding, and a letter.
const ROOM: (f64, f64) = (0.03, 0.03);

/// A part of a bar.
pub(super) struct Segment {
    /// Its name, written into it where there is room.
    pub(super) name: String,
    /// Class that colours it.
    pub(super) class: String,
    /// Its length; nothing is drawn of a negative one.
    pub(super) value: f64,
    /// Its value in words.
    pub(super) text: String,
}

/// One bar.
pub(super) struct Bar {
    /// Written before or above it.
    pub(super) label: String,
    /// Its whole length in words.
    pub(super) total: String,
    /// From left to right.
    pub(super) segments: Vec<Segment>,
}

impl Bar {
    fn length(&self) -> f64 {
        self.segments.iter().map(|segment| segment.value.max(0.0)).sum()
    }
}

/// The class that colours a row of the breakdown (see page.css).
pub(super) fn class(section: &str) -> &'static str {
    match section {
        "Pair" => "pair",
        "Bond" => "bond",
        "Kspace" => "kspace",
        "Neigh" => "neigh",
        "Comm" => "comm",
        "Output" => "output",
        "Modify" => "modify",
        _ => "other",
    }
}

/// A list of bars on one scale, the longest as wide as the page.
pub(super) fn bars(bars: &[Bar]) -> Markup {
    let longest = bars.iter().map(Bar::length).fold(0.0, f64::max);
    html! {
        ul.bars {
            @for bar in bars {
                li {
                    span.label { (bar.label) }
                    (svg(bar, longest))
                    span.total { (bar.total) }
                }
            }
        }
    }
}

fn svg(bar: &Bar, longest: f64) -> Markup {
    let words: Vec<String> =
        bar.segments.iter().map(|segment| format!("{} {}", segment.name, segment.text)).collect();
    let words = format!("{}: {}", bar.label, words.join("; "));
    let scale = if longest > 0.0 { 1.0 / longest } else { 0.0 };
    let mut end = 0.0;
    html! {
        svg width="100%" height=(HEIGHT) role="img" aria-label=(words) {
            @for segment in &bar.segments {
                @let width = segment.value.max(0.0) * scale;
                @let left = end;
                @let () = end += width;
                @if width > 0.0 {
                    g {
                        title { (segment.name) ": " (segment.text) }
                        rect class=(segment.class) x=(percent(left)) width=(percent(width)) height="100%" {}
                        @if width >= ROOM.0 + ROOM.1 * segment.name.len() as f64 {
                            text x=(percent(left)) dx="7" y=(HEIGHT / 2) dy="0.35em" { (segment.name) }
                        }
                    }
                }
            }
        }
    }
}

/// Which colour means what.
pub(super) fn legend(sections: &[String]) -> Markup {
    html! {
        ul.legend {
            @for section in sections {
                li {
                    svg width="14" height="14" aria-hidden="true" {
                        rect class=(class(section)) width="14" height="14" rx="3" {}
                    }
                    (section)
                }
            }
        }
    }
}

/// A share of the width, as SVG writes it.
pub(super) fn percent(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}
