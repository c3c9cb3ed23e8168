//! u over x in the course of time, as an animated GIF.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::{BufWriter, Write};
use std::path::Path;

use embedded_graphics::mono_font::{MonoTextStyle, ascii::FONT_7X13};
use embedded_graphics::pixelcolor::PixelColor;
use embedded_graphics::prelude::*;
use embedded_graphics::primitives::{Line, Polyline, PrimitiveStyle, Rectangle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};
use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use plotters::coord::ranged1d::{BoldPoints, Ranged, ValueFormatter};

use super::output::outline;
use super::problem::{PERIOD, Problem};
use crate::base::error::Result;
use crate::base::files;
use crate::studies::chart::axis::Axis;

/// Frames after the first one.
const FRAMES: u64 = 200;
/// How long each is shown, in hundredths of a second.
const DELAY: u16 = 5;
/// Width and height in pixels.
const SIZE: (u16, u16) = (560, 340);
/// The corners of the plot, in pixels.
const PLOT: [Point; 2] = [Point::new(48, 28), Point::new(540, 296)];

/// A color of [`PALETTE`].
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ink(u8);

impl PixelColor for Ink {
    type Raw = ();
}

const PAPER: Ink = Ink(0);
const TEXT: Ink = Ink(1);
const GRID: Ink = Ink(2);
const CURVE: Ink = Ink(3);
/// What has not changed since the frame before.
const SAME: Ink = Ink(4);
/// Red, green and blue of each; the curve has the first color of the charts.
const PALETTE: [u8; 15] = [255, 255, 255, 34, 34, 34, 221, 221, 221, 0, 114, 178, 255, 255, 255];

/// The steps to be shown of a run: evenly distributed, first and last among them.
pub(super) fn frame_steps(steps: u64) -> BTreeSet<u64> {
    (0..=u128::from(FRAMES)).map(|k| (k * u128::from(steps) / u128::from(FRAMES)) as u64).collect()
}

/// The frames of a run: time and points of the curve.
#[derive(Default)]
pub(super) struct Film(Vec<(f64, Vec<(f64, f64)>)>);

impl Film {
    /// Adds a frame.
    pub(super) fn add(&mut self, t: f64, u: &[f64]) {
        self.0.push((t, outline(u, (PLOT[1].x - PLOT[0].x) as usize)));
    }

    /// Writes the animation.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn save(&self, problem: &Problem, path: &Path) -> Result<()> {
        files::write_whole(path, |file| {
            self.encode(problem, BufWriter::new(file)).map_err(|err| match err {
                EncodingError::Io(err) => err,
                other => std::io::Error::other(other),
            })
        })
    }

    fn encode(&self, problem: &Problem, out: impl Write) -> std::result::Result<(), EncodingError> {
        let axes = Axes::new(self.0.iter().flat_map(|(_, points)| points.iter().map(|point| point.1)));
        let mut encoder = Encoder::new(out, SIZE.0, SIZE.1, &PALETTE)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut last: Option<Vec<u8>> = None;
        for (t, points) in &self.0 {
            let canvas = draw(problem, &axes, *t, points);
            // Only what has changed: long stretches of one color make small files.
            let changes = last.as_ref().map(|last| {
                let pixels = canvas.pixels.iter().zip(last);
                pixels.map(|(new, old)| if new == old { SAME.0 } else { *new }).collect::<Vec<u8>>()
            });
            encoder.write_frame(&Frame {
                width: SIZE.0,
                height: SIZE.1,
                delay: DELAY,
                dispose: DisposalMethod::Keep,
                transparent: changes.is_some().then_some(SAME.0),
                buffer: Cow::Borrowed(changes.as_deref().unwrap_or(&canvas.pixels)),
                ..Frame::default()
            })?;
            last = Some(canvas.pixels);
        }
        Ok(())
    }
}

/// Where u is shown, and where x is.
struct Axes {
    x: Axis,
    u: Axis,
}

impl Axes {
    /// For these values of u, over a period.
    fn new(u: impl Iterator<Item = f64>) -> Self {
        Axes { x: Axis::new([0.0, PERIOD].into_iter(), false, false), u: Axis::new(u, false, true) }
    }

    fn place(&self, (x, u): (f64, f64)) -> Point {
        let [corner, end] = PLOT;
        Point::new(self.x.map(&x, (corner.x, end.x)), self.u.map(&u, (end.y, corner.y)))
    }
}

/// Where the ticks of an axis are, and what they say in a font that has no minus but the hyphen.
fn ticks(axis: &Axis) -> impl Iterator<Item = (f64, String)> {
    let values = axis.key_points(BoldPoints(usize::MAX));
    values.into_iter().map(|value| (value, axis.format_ext(&value).replace('\u{2212}', "-")))
}

/// One frame.
fn draw(problem: &Problem, axes: &Axes, t: f64, points: &[(f64, f64)]) -> Canvas {
    let mut canvas = Canvas { pixels: vec![PAPER.0; usize::from(SIZE.0) * usize::from(SIZE.1)] };
    let [corner, end] = PLOT;
    let grid = PrimitiveStyle::with_stroke(GRID, 1);
    for (u, label) in ticks(&axes.u) {
        let y = axes.place((0.0, u)).y;
        canvas.draw(&Line::new(Point::new(corner.x, y), Point::new(end.x, y)).into_styled(grid));
        canvas.text(&label, Point::new(corner.x - 6, y), Alignment::Right, Baseline::Middle);
    }
    for (x, label) in ticks(&axes.x) {
        let x = axes.place((x, 0.0)).x;
        canvas.draw(&Line::new(Point::new(x, corner.y), Point::new(x, end.y)).into_styled(grid));
        canvas.text(&label, Point::new(x, end.y + 5), Alignment::Center, Baseline::Top);
    }
    canvas.draw(&Rectangle::with_corners(corner, end).into_styled(PrimitiveStyle::with_stroke(TEXT, 1)));
    canvas.text("x", Point::new((corner.x + end.x) / 2, end.y + 22), Alignment::Center, Baseline::Top);
    canvas.text("u", Point::new(10, (corner.y + end.y) / 2), Alignment::Left, Baseline::Middle);
    let Problem { n, delta, .. } = problem;
    let title = format!("Korteweg-de Vries, delta = {delta}, N = {n}");
    canvas.text(&title, Point::new(corner.x, 14), Alignment::Left, Baseline::Middle);
    canvas.text(&format!("t = {t:.2} / pi"), Point::new(end.x, 14), Alignment::Right, Baseline::Middle);
    let curve: Vec<Point> = points.iter().map(|&point| axes.place(point)).collect();
    canvas.draw(&Polyline::new(&curve).into_styled(PrimitiveStyle::with_stroke(CURVE, 2)));
    canvas
}

/// A frame's pixels, row by row, as numbers of the palette.
struct Canvas {
    pixels: Vec<u8>,
}

impl Canvas {
    fn draw(&mut self, shape: &impl Drawable<Color = Ink>) {
        let Ok(_) = shape.draw(self);
    }

    fn text(&mut self, text: &str, at: Point, alignment: Alignment, baseline: Baseline) {
        let style = TextStyleBuilder::new().alignment(alignment).baseline(baseline).build();
        self.draw(&Text::with_text_style(text, at, MonoTextStyle::new(&FONT_7X13, TEXT), style));
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(SIZE.0.into(), SIZE.1.into())
    }
}

impl DrawTarget for Canvas {
    type Color = Ink;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Ink>>>(
        &mut self,
        pixels: I,
    ) -> std::result::Result<(), Infallible> {
        let area = self.bounding_box();
        for Pixel(at, ink) in pixels.into_iter().filter(|Pixel(at, _)| area.contains(*at)) {
            self.pixels[at.y as usize * usize::from(SIZE.0) + at.x as usize] = ink.0;
        }
        Ok(())
    }
}
