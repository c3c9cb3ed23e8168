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

/// A kernel on the plot.
pub(super) struct Point<'a> {
    kernel: &'a Kernel,
    /// Operations per byte.
    pub(super) intensity: f64,
    /// Operations per second.
    pub(super) rate: f64,
    /// The rate as a share of what the device could do at this intensity.
    pub(super) share: f64,
}

/// What the device can do at an intensity, in operations per second.
fn attainable(ceiling: &Ceiling, intensity: f64) -> f64 {
    ceiling.peak_flops.min(intensity * ceiling.copy_bandwidth)
}

/// The kernels whose bytes and operations the record holds, the one with the most seconds first.
pub(super) fn points<'a>(run: &'a Run, ceiling: &Ceiling) -> Vec<Point<'a>> {
    let mut points: Vec<Point<'_>> = run
        .kernels
        .iter()
        .filter_map(|kernel| {
            let (operations, bytes) = kernel.operations.zip(kernel.bytes_moved)?;
            let (intensity, rate) = (operations / bytes, operations / kernel.seconds);
            let share = rate / attainable(ceiling, intensity);
            let usable = [intensity, rate, share].iter().all(|x| x.is_finite() && *x > 0.0);
            usable.then_some(Point { kernel, intensity, rate, share })
        })
        .collect();
    points.sort_by(|a, b| b.kernel.seconds.total_cmp(&a.kernel.seconds));
    points
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
    let points = points(run, &ceiling);
    if points.is_empty() {
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
            (table(&points))
        }
    })
}

fn plot(run: &Run, ceiling: &Ceiling, points: &[Point<'_>]) -> Markup {
    let ridge = ceiling.peak_flops / ceiling.copy_bandwidth;
    let x = Axis::over(points.iter().map(|point| point.intensity).chain([ridge, 2.0 * ridge]));
    let lowest = 10f64.powi(x.first) * ceiling.copy_bandwidth;
    let y = Axis::over(points.iter().map(|point| point.rate).chain([lowest, ceiling.peak_flops]));
    let across = |value: f64| percent(ACROSS.0 + (ACROSS.1 - ACROSS.0) * x.place(value));
    let up = |value: f64| format!("{:.1}", TOP + HEIGHT * (1.0 - y.place(value)));
    let words = format!(
        "Roofline of {}. {}",
        run.label,
        points.iter().map(Point::words).collect::<Vec<_>>().join("; ")
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
            @for (index, point) in points.iter().enumerate().rev() {
                g {
                    title { (point.words()) }
                    circle class=(class(&point.kernel.section)) cx=(across(point.intensity)) cy=(up(point.rate)) r="10" {}
                    text x=(across(point.intensity)) y=(up(point.rate)) dy="0.35em" text-anchor="middle" {
                        (index + 1)
                    }
                }
            }
        }
    }
}

/// A power of ten at an axis.
fn figure_of(tick: f64) -> String {
    crate::format::g(tick, 4)
}

impl Point<'_> {
    fn words(&self) -> String {
        format!(
            "{}: {} GFLOP/s at {} FLOP per byte, {:.0} % of its ceiling",
            self.kernel.name,
            figure(self.rate * 1e-9),
            figure(self.intensity),
            100.0 * self.share
        )
    }
}

fn table(points: &[Point<'_>]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="The roofline's figures" {
            table {
                thead {
                    tr {
                        th scope="col" { "Kernel" }
                        @for name in ["Section", "FLOP per byte", "GFLOP/s", "GB/s", "% of ceiling"] {
                            th.number scope="col" { (name) }
                        }
                    }
                }
                tbody {
                    @for (index, point) in points.iter().enumerate() {
                        tr {
                            th scope="row" { (index + 1) " " (point.kernel.name) }
                            td.number { (point.kernel.section) }
                            td.number { (figure(point.intensity)) }
                            td.number { (figure(point.rate * 1e-9)) }
                            td.number { (figure(point.rate / point.intensity * 1e-9)) }
                            td.number { (format!("{:.0}", 100.0 * point.share)) }
                        }
                    }
                }
            }
        }
    }
}
