//! Headings and rows, to the byte as LAMMPS prints them (checked against it in tests/output.rs).

use super::Observables;
use super::settings::{Column, Line, Settings, Value};
use crate::base::error::Result;
use crate::base::format::{Spec, g};
use crate::engine::timing::spread;
use crate::model::units::Units;

/// A value with its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Of a column that counts.
    Int(i64),
    /// Of any other.
    Float(f64),
}

/// The values of a row, with the columns' headings as they are without `thermo_modify colname`.
pub type RowValues = Vec<(String, Number)>;

impl Settings {
    /// The lines before the first row, without the last newline: the memory line that parsers look for, and
    /// the headings that must follow it at once. `memory` is in bytes, of each rank.
    pub fn header(&self, memory: &[f64]) -> String {
        let [least, mean, most] = spread(memory).map(|bytes| g(bytes / (1024.0 * 1024.0), 4));
        let memory =
            format!("Per MPI rank memory allocation (min/avg/max) = {least} | {mean} | {most} Mbytes");
        match self.line {
            Line::One => {
                let headings: Vec<String> = self
                    .columns
                    .iter()
                    .map(|column| {
                        let width = if column.integer { 11 } else { 14 };
                        format!("{:^width$}", column.heading)
                    })
                    .collect();
                format!("{memory}\n{}", headings.join(" "))
            }
            Line::Multi => memory,
            Line::Yaml => {
                let keywords: String =
                    self.columns.iter().map(|column| format!("'{}', ", column.heading)).collect();
                format!("{memory}\n---\nkeywords: [{keywords}]\ndata:")
            }
        }
    }

    /// The line after the last row, if there is one.
    pub fn footer(&self) -> Option<&'static str> {
        (self.line == Line::Yaml).then_some("...")
    }

    /// The values of a row. `previous` is what the row before it in this run was made from, and
    /// `other` evaluates columns that are not made from `obs`: `v_NAME`, `c_ID`, `fmax`.
    ///
    /// # Errors
    /// When an energy or the pressure is not finite, or a column cannot be evaluated.
    pub fn values(
        &self,
        obs: &Observables,
        previous: Option<&Observables>,
        units: &Units,
        other: &dyn Fn(&Column) -> Result<f64>,
    ) -> Result<RowValues> {
        obs.check_finite(units)?;
        let value = |column: &Column| self.number(column, obs, previous, units, other);
        self.columns.iter().map(|column| Ok((column.default_heading.clone(), value(column)?))).collect()
    }

    /// The line of a row with these values, without the last newline.
    pub fn row(&self, obs: &Observables, values: &RowValues) -> String {
        let mut row = match self.line {
            Line::One => String::new(),
            Line::Multi => format!(
                "------------ Step {:14} ----- CPU = {:>12} (sec) -------------\n",
                obs.step,
                g(obs.cpu, 7)
            ),
            Line::Yaml => String::from("  - ["),
        };
        for (index, (column, (_, number))) in self.columns.iter().zip(values).enumerate() {
            let text = self.print(index, column, number);
            match self.line {
                Line::One if index == 0 => row.push_str(&text),
                Line::One => row.extend([" ", &text]),
                Line::Multi => {
                    let separator = match index {
                        0 => "",
                        _ if index % 3 == 0 => " \n",
                        _ => " ",
                    };
                    row.push_str(&format!("{separator}{:<8} = {text}", column.heading));
                }
                Line::Yaml => row.extend([&text, ", "]),
            }
        }
        if self.line == Line::Yaml {
            row.push(']');
        }
        row
    }

    fn number(
        &self,
        column: &Column,
        obs: &Observables,
        previous: Option<&Observables>,
        units: &Units,
        other: &dyn Fn(&Column) -> Result<f64>,
    ) -> Result<Number> {
        let name = match &column.value {
            Value::Reference(_) | Value::Keyword("fmax" | "fnorm") => {
                return Ok(Number::Float(other(column)?));
            }
            Value::Keyword(name) => *name,
        };
        // These two are means since the row before.
        let per_cpu = |gain: fn(&Observables) -> f64| match previous {
            Some(last) if obs.cpu > last.cpu => (gain(obs) - gain(last)) / (obs.cpu - last.cpu),
            _ => 0.0,
        };
        let value = match name {
            "tpcpu" => per_cpu(|obs| obs.time),
            "spcpu" => per_cpu(|obs| obs.step as f64),
            _ => obs.keyword(units, self.norm, name).expect("columns hold known keywords"),
        };
        Ok(if column.integer { Number::Int(value as i64) } else { Number::Float(value) })
    }

    /// Own format of the column, else that of its kind, else that of the line, else the default.
    fn print(&self, index: usize, column: &Column, number: &Number) -> String {
        let kind = if column.integer { &self.int } else { &self.float };
        let spec: Option<&Spec> = column
            .format
            .as_ref()
            .or(kind.as_ref())
            .or_else(|| self.per_column.as_ref().and_then(|specs| specs.get(index)));
        match (spec, number, self.line) {
            (Some(spec), Number::Int(n), _) => spec.int(*n),
            (Some(spec), Number::Float(x), _) => spec.float(*x),
            (None, Number::Int(n), Line::One) => format!("{n:10} "),
            (None, Number::Int(n), Line::Multi) => format!("{n:14}"),
            (None, Number::Int(n), Line::Yaml) => n.to_string(),
            (None, Number::Float(x), Line::One) => {
                let sign = if x.is_sign_negative() { "" } else { " " };
                format!("{:<14}", format!("{sign}{}", g(*x, 8)))
            }
            (None, Number::Float(x), Line::Multi) => format!("{x:14.4}"),
            (None, Number::Float(x), Line::Yaml) => g(*x, 15),
        }
    }
}
