//! Line charts as SVG files.

pub(super) mod axis;

use std::io::Write;
use std::path::Path;

use plotters::coord::Shift;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::base::error::{Error, Result};
use crate::base::files;
use axis::Axis;

/// One line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// (x, y); points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Whether points are marked.
    pub marks: bool,
}

/// A chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Below the x axis, with its unit.
    pub x_label: String,
    /// Beside the y axis, with its unit.
    pub y_label: String,
    /// Logarithmic x axis.
    pub log_x: bool,
    /// Logarithmic y axis.
    pub log_y: bool,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

/// Units of the drawing per pixel: plotters draws between whole units, and a curve through whole pixels is
/// ragged.
const PX: i32 = 4;
/// Width and height of the plot with its title and labels; the legend stands to its right.
const SIZE: (i32, i32) = (860 * PX, 540 * PX);
const MARGIN: i32 = 14 * PX;
const STROKE: u32 = 2 * PX as u32;
const FONT: &str = "sans-serif";
const TEXT: i32 = 15 * PX;
/// Height of a line of the legend.
const LEGEND_LINE: i32 = 24 * PX;
/// Length of a line's sample in the legend.
const SAMPLE: i32 = 30 * PX;
/// Lengths of a dash and of the gap after it.
const DASH: (i32, i32) = (7 * PX, 4 * PX);

const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
const GRID: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
const FINE_GRID: RGBColor = RGBColor(0xF2, 0xF2, 0xF2);

/// Okabe and Ito, "Color Universal Design" (2008), without the yellow, which is faint on white.
const COLORS: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
];

type Failure = Box<dyn std::error::Error>;

impl Chart {
    /// Writes the chart as an SVG file, whole, or leaves an older one as it was. A point whose coordinate a
    /// logarithmic axis cannot show (0 or less) is left out.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let svg = self.svg().map_err(|err| Error::new(format!("cannot draw {}: {err}", path.display())))?;
        files::write_whole(path, |mut file| file.write_all(svg.as_bytes()))
    }

    fn svg(&self) -> Result<String, Failure> {
        let longest = self.series.iter().map(|series| series.name.chars().count()).max().unwrap_or(0);
        // A generous guess at a letter's width: the reader's font is not known.
        let legend = SAMPLE + 3 * MARGIN + (longest as f64 * 0.58 * f64::from(TEXT)) as i32;
        // A single line needs no key beside a title and a y axis that name it.
        let legend = if self.series.len() > 1 { legend } else { 0 };
        let size = ((SIZE.0 + legend) as u32, SIZE.1 as u32);
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            root.fill(&WHITE)?;
            let (plot, key) = root.split_horizontally(SIZE.0);
            let title = (FONT, TEXT + 3 * PX).into_font().color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
            plot.draw(&Text::new(&*self.title, (SIZE.0 / 2, MARGIN), title))?;
            self.draw_plot(&plot.split_vertically(2 * TEXT).1)?;
            if legend > 0 {
                self.draw_legend(&key)?;
            }
            root.present()?;
        }
        // The head says the size in units; the view box, which stays, makes it a scale.
        let head = |(width, height): (u32, u32)| format!("width=\"{width}\" height=\"{height}\"");
        Ok(svg.replacen(&head(size), &head((size.0 / PX as u32, size.1 / PX as u32)), 1))
    }

    fn draw_plot(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Failure> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Axis::new(points().map(|point| point.0), self.log_x, false);
        let y = Axis::new(points().map(|point| point.1), self.log_y, true);
        let shown = |point: &&(f64, f64)| x.shows(point.0) && y.shows(point.1);
        let shown: Vec<Vec<(f64, f64)>> =
            self.series.iter().map(|series| series.points.iter().filter(shown).copied().collect()).collect();
        let mut chart = ChartBuilder::on(area)
            .margin(MARGIN)
            .set_label_area_size(LabelAreaPosition::Left, 9 * TEXT / 2)
            .set_label_area_size(LabelAreaPosition::Bottom, 13 * TEXT / 4)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .bold_line_style(GRID.stroke_width(PX as u32))
            .light_line_style(FINE_GRID.stroke_width(PX as u32))
            .axis_style(INK.stroke_width(PX as u32))
            .set_all_tick_mark_size(5 * PX)
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .axis_desc_style((FONT, TEXT).into_font().color(&INK))
            .label_style((FONT, TEXT - PX).into_font().color(&INK))
            .draw()?;
        for (index, (series, points)) in self.series.iter().zip(&shown).enumerate() {
            let style = COLORS[index % COLORS.len()].stroke_width(STROKE);
            if index < COLORS.len() {
                chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
            } else {
                chart.draw_series(DashedLineSeries::new(points.iter().copied(), DASH.0, DASH.1, style))?;
            }
            if series.marks {
                chart.draw_series(points.iter().map(|&point| EmptyElement::at(point) + mark(index)))?;
            }
        }
        Ok(())
    }

    fn draw_legend(&self, area: &DrawingArea<SVGBackend<'_>, Shift>) -> Result<(), Failure> {
        let text = (FONT, TEXT).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        for (index, series) in self.series.iter().enumerate() {
            let y = 3 * MARGIN + TEXT + index as i32 * LEGEND_LINE;
            let style = COLORS[index % COLORS.len()].stroke_width(STROKE);
            let (left, right) = ((MARGIN, y), (MARGIN + SAMPLE, y));
            if series.points.len() < 2 {
                // A mark alone.
            } else if index < COLORS.len() {
                area.draw(&PathElement::new([left, right], style))?;
            } else {
                area.draw(&DashedPathElement::new([left, right], DASH.0, DASH.1, style))?;
            }
            if series.marks {
                area.draw(&(EmptyElement::at((MARGIN + SAMPLE / 2, y)) + mark(index)))?;
            }
            area.draw(&Text::new(&*series.name, (2 * MARGIN + SAMPLE, y), text.clone()))?;
        }
        Ok(())
    }
}

/// Corners of the marks in pixels around the point. Five shapes and seven colours: together they repeat after
/// 35 lines.
const MARKS: [&[(i32, i32)]; 5] = [
    &[(-2, -4), (2, -4), (4, -2), (4, 2), (2, 4), (-2, 4), (-4, 2), (-4, -2)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(-5, 4), (5, 4), (0, -5)],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(-5, -4), (5, -4), (0, 5)],
];

/// The mark of the line number `index`, around (0, 0).
fn mark(index: usize) -> Polygon<(i32, i32)> {
    let corners = MARKS[index % MARKS.len()].iter().map(|(x, y)| (x * PX, y * PX));
    Polygon::new(corners.collect::<Vec<_>>(), COLORS[index % COLORS.len()].filled())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(count: usize) -> Chart {
        Chart {
            title: "Rates < \"all\" & more".into(),
            x_label: "Transfer size, bytes".into(),
            y_label: "GB/s".into(),
            log_x: true,
            log_y: true,
            series: (0..count)
                .map(|line| Series {
                    name: format!("line <{line}> & so on"),
                    points: (11..=30)
                        .map(|k| (2f64.powi(k), 1.5f64.powi(k - 20) / (1 + line) as f64))
                        .collect(),
                    marks: true,
                })
                .collect(),
        }
    }

    #[test]
    fn the_file_is_well_formed_and_names_every_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rates.svg");
        for count in [0, 1, 2, 9] {
            let chart = chart(count);
            chart.save(&path).expect("written");
            let text = std::fs::read_to_string(&path).expect("read");
            let document = roxmltree::Document::parse(&text).expect("well-formed");
            let root = document.root_element();
            assert_eq!((root.tag_name().name(), root.attribute("height")), ("svg", Some("540")));
            let words: Vec<&str> =
                document.descendants().filter_map(|node| node.text()).map(str::trim).collect();
            for expected in [&chart.title, &chart.x_label, &chart.y_label] {
                assert!(words.contains(&expected.as_str()), "{expected} in {words:?}");
            }
            for series in chart.series.iter().filter(|_| count > 1) {
                assert!(words.contains(&series.name.as_str()), "{} in {words:?}", series.name);
            }
        }
    }

    #[test]
    fn what_cannot_be_shown_is_left_out() {
        let mut chart = chart(2);
        let whole = chart.svg().expect("drawn");
        let odd = [(0.0, 1.0), (4096.0, f64::NAN), (-1.0, 2.0), (f64::INFINITY, 1.0), (4096.0, 0.0)];
        chart.series[1].points.extend(odd);
        assert_eq!(chart.svg().expect("drawn"), whole);
    }

    #[test]
    fn a_failure_names_the_file() {
        let error = chart(1).save(Path::new("no/such/folder/a.svg")).expect_err("fails");
        assert!(error.message.contains("cannot write no/such/folder/a.svg"), "{error}");
    }
}
