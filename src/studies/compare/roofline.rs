//! The roofline of a run's kernels: arithmetic intensity against rate, under what the device can do.
//!
//! Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for multicore
//! architectures", CACM 52 (2009) 65: a kernel of intensity I operations per byte cannot do more than
//! min(peak, I * bandwidth) operations per second.

use maud::{Markup, html};

use super::bars::{class, percent};
use super::run::{Ceiling, Kernel, Run};
use super::table::figure;

/// Height of the plot's inside in pixels.
const HEIGHT: f64 = 300.0;

/// What is above it.
const TOP: f64 = 12.0;

/// What is below it: the ticks.
const BOTTOM: f64 = 26.0;

/// Where the plot's inside begins and ends, as shares of the width.
const ACROSS: (f64, f64) = (0.12, 0.98);

/// A kernel whose bytes and operations the record holds.
pub(super) struct Point<'a> {
    pub(super) kernel: &'a Kernel,
    /// Bytes and operations of all calls.
    pub(super) bytes: f64,
    pub(super) operations: f64,
}

/// The kernels whose bytes and operations the record holds, the one with the most seconds first.
pub(super) fn points(run: &Run) -> Vec<Point<'_>> {
    let mut points: Vec<Point<'_>> = run
        .kernels
        .iter()
        .filter_map(|kernel| {
            let (operations, bytes) = kernel.operations.zip(kernel.bytes_moved)?;
            let usable = bytes > 0.0 && operations >= 0.0 && kernel.seconds > 0.0;
            usable.then_some(Point { kernel, bytes, operations })
        })
        .collect();
    points.sort_by(|a, b| b.kernel.seconds.total_cmp(&a.kernel.seconds));
    points
}

impl Point<'_> {
    /// Operations per byte.
    pub(super) fn intensity(&self) -> f64 {
        self.operations / self.bytes
    }

    /// Operations per second.
    pub(super) fn rate(&self) -> f64 {
        self.operations / self.kernel.seconds
    }

    /// Bytes per second.
    pub(super) fn flow(&self) -> f64 {
        self.bytes / self.kernel.seconds
    }

    /// Shares of the device's copy bandwidth and peak. The larger one is that of what the device could do at most at this
    /// intensity, min(peak, intensity * bandwidth).
    pub(super) fn shares(&self, ceiling: &Ceiling) -> [f64; 2] {
        [self.flow() / ceiling.copy_bandwidth, self.rate() / ceiling.peak_flops]
    }

    /// Whether it has a place between logarithmic axes.
    fn computes(&self) -> bool {
        self.operations > 0.0
    }
}

/// A logarithmic axis over whole decades.
struct Axis {
    first: i32,
    last: i32,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = values.fold((f64::MAX, f64::MIN_POSITIVE), |(a, b), x| (a.min(x), b.max(x)));
        let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
        Axis { first, last: last.max(first + 1) }
    }

    /// Where a value lies, from 0 to 1.
    fn place(&self, value: f64) -> f64 {
        (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        (self.first..=self.last).map(|exponent| 10f64.powi(exponent))
    }
}

/// The plot of a run with its table; `None` where the record does not hold what it takes.
pub(super) fn roofline(run: &Run) -> Option<Markup> {
    let ceiling = run.ceiling.filter(|ceiling| ceiling.copy_bandwidth > 0.0 && ceiling.peak_flops > 0.0)?;
    let points = points(run);
    if !points.iter().any(Point::computes) {
        return None;
    }
    let caption = format!(
        "{}: the device copies {} GB/s and computes {} GFLOP/s",
        run.label,
        figure(ceiling.copy_bandwidth * 1e-9),
        figure(ceiling.peak_flops * 1e-9)
    );
    Some(html! {
        figure.roofline {
            figcaption { (caption) }
            p.axis { "GFLOP/s (up) against FLOP per byte (to the right), both logarithmic" }
            (plot(run, &ceiling, &points))
            (table(&points, &ceiling))
        }
    })
}

fn plot(run: &Run, ceiling: &Ceiling, points: &[Point<'_>]) -> Markup {
    let ridge = ceiling.peak_flops / ceiling.copy_bandwidth;
    let drawn = || points.iter().filter(|point| point.computes());
    let x = Axis::over(drawn().map(Point::intensity).chain([ridge, 2.0 * ridge]));
    let lowest = 10f64.powi(x.first) * ceiling.copy_bandwidth;
    let y = Axis::over(drawn().map(Point::rate).chain([lowest, ceiling.peak_flops]));
    let across = |value: f64| percent(ACROSS.0 + (ACROSS.1 - ACROSS.0) * x.place(value));
    let up = |value: f64| format!("{:.1}", TOP + HEIGHT * (1.0 - y.place(value)));
    let words = format!(
        "Roofline of {}. {}",
        run.label,
        drawn().map(|point| point.words(ceiling)).collect::<Vec<_>>().join("; ")
    );
    html! {
        svg width="100%" height=(TOP + HEIGHT + BOTTOM) role="img" aria-label=(words) {
            @for tick in x.ticks() {
                line.grid x1=(across(tick)) x2=(across(tick)) y1=(TOP) y2=(TOP + HEIGHT) {}
                text.tick x=(across(tick)) y=(TOP + HEIGHT + 18.0) text-anchor="middle" { (figure_of(tick)) }
            }
            @for tick in y.ticks() {
                line.grid x1=(percent(ACROSS.0)) x2=(percent(ACROSS.1)) y1=(up(tick)) y2=(up(tick)) {}
                text.tick x=(percent(ACROSS.0)) dx="-6" y=(up(tick)) dy="0.35em" text-anchor="end" {
                    (figure_of(tick * 1e-9))
                }
            }
            line.roof x1=(percent(ACROSS.0)) y1=(up(lowest)) x2=(across(ridge)) y2=(up(ceiling.peak_flops)) {}
            line.roof x1=(across(ridge)) y1=(up(ceiling.peak_flops))
                x2=(percent(ACROSS.1)) y2=(up(ceiling.peak_flops)) {}
            // The largest kernel is drawn last, on top.
            @for (index, point) in points.iter().enumerate().rev().filter(|(_, point)| point.computes()) {
                g {
                    title { (point.words(ceiling)) }
                    circle class=(class(&point.kernel.section)) cx=(across(point.intensity())) cy=(up(point.rate())) r="10" {}
                    text x=(across(point.intensity())) y=(up(point.rate())) dy="0.35em" text-anchor="middle" {
                        (index + 1)
                    }
                }
            }
        }
    }
}

/// A power of ten at an axis.
fn figure_of(tick: f64) -> String {
    crate::base::format::g(tick, 4)
}

impl Point<'_> {
    fn words(&self, ceiling: &Ceiling) -> String {
        let [copy, peak] = self.shares(ceiling);
        format!(
            "{}: {} GFLOP/s at {} FLOP per byte, {:.0} % of its ceiling",
            self.kernel.name,
            figure(self.rate() * 1e-9),
            figure(self.intensity()),
            100.0 * copy.max(peak)
        )
    }
}

fn table(points: &[Point<'_>], ceiling: &Ceiling) -> Markup {
    let cells = |point: &Point<'_>| {
        let [copy, peak] = point.shares(ceiling);
        [
            figure(point.intensity()),
            figure(point.rate() * 1e-9),
            format!("{:.1}", 100.0 * peak),
            figure(point.flow() * 1e-9),
            format!("{:.1}", 100.0 * copy),
        ]
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="The roofline's figures" {
            table {
                thead {
                    tr {
                        th scope="col" { "Kernel" }
                        th scope="col" { "Section" }
                        @for name in ["FLOP per byte", "GFLOP/s", "% of peak", "GB/s", "% of copy"] {
                            th.number scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for (index, point) in points.iter().enumerate() {
                        tr {
                            th scope="row" { (index + 1) " " (point.kernel.name) }
                            td { (point.kernel.section) }
                            @for cell in cells(point) { td.number { (cell) } }
                        }
                    }
                }
            }
        }
    }
}
