//! Thermo output in a log: of style one or custom, multi and yaml.

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    /// Its value.
    pub(crate) value: f64,
    /// Significant digits as printed.
    pub(crate) digits: i32,
}

impl Number {
    /// A number and how many digits it shows; none where the word is no number.
    pub(crate) fn read(word: &str) -> Option<Number> {
        let value: f64 = word.parse().ok()?;
        let mantissa = word.split(['e', 'E']).next().unwrap_or_default();
        let digits = mantissa.chars().filter(char::is_ascii_digit).skip_while(|digit| *digit == '0');
        Some(Number { value, digits: i32::try_from(digits.count()).ok()? })
    }
}

/// Thermo output of a run: its headings, and rows as long as these.
#[derive(Default)]
pub(crate) struct Rows {
    /// Names of the columns.
    pub(crate) heads: Vec<String>,
    /// The rows.
    pub(crate) rows: Vec<Vec<Number>>,
}

impl Rows {
    /// Place of a column.
    pub(crate) fn column(&self, head: &str) -> Option<usize> {
        self.heads.iter().position(|name| name == head)
    }

    fn add(&mut self, line: &str) {
        if let Some((_, keywords)) = line.split_once("keywords: [") {
            let words = keywords.trim_end_matches([']', ' ']).split(',');
            self.heads = words.map(|word| word.trim().trim_matches(['\'', '"']).to_owned()).collect();
            self.heads.retain(|head| !head.is_empty());
        } else if let Some(row) = line.trim_start().strip_prefix("- [") {
            self.push(
                row.trim_end_matches([']', ' ']).split(',').map(str::trim).filter(|word| !word.is_empty()),
            );
        } else if line.starts_with("------------ Step") {
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut words = words.iter().skip_while(|word| **word != "Step");
            let step = words.nth(1).and_then(|word| Number::read(word));
            if self.heads.is_empty() {
                self.heads.push("Step".into());
            }
            self.rows.push(step.into_iter().collect());
        } else if self.heads.first().is_some_and(|head| head == "Step") && line.contains(" = ") {
            // Style multi: names and numbers by turns.
            let words: Vec<&str> = line.split_whitespace().collect();
            for place in (0..words.len()).filter(|place| words[*place] == "=" && *place > 0) {
                let number = words.get(place + 1).and_then(|word| Number::read(word));
                let (Some(number), Some(row)) = (number, self.rows.last_mut()) else { continue };
                if row.len() == self.heads.len() {
                    self.heads.push(words[place - 1].to_owned());
                }
                row.push(number);
            }
        } else if self.heads.is_empty() {
            self.heads = line.split_whitespace().map(str::to_owned).collect();
        } else {
            self.push(line.split_whitespace());
        }
    }

    fn push<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        let row: Option<Vec<Number>> = words.map(Number::read).collect();
        self.rows.extend(row.filter(|row| row.len() == self.heads.len()));
    }
}

/// The thermo output of all runs in a log: what stands between the line on memory, or with `pre no` the headings, and the
/// loop time.
pub(crate) fn runs(log: &str) -> Vec<Rows> {
    let mut runs = Vec::new();
    let mut run: Option<Rows> = None;
    for line in log.lines() {
        if line.contains("emory allocation") || line.starts_with("Memory usage per processor") {
            runs.extend(run.replace(Rows::default()));
        } else if run.is_none() && line.starts_with("   Step  ") {
            run =
                Some(Rows { heads: line.split_whitespace().map(str::to_owned).collect(), rows: Vec::new() });
        } else if line.starts_with("Loop time") || line.starts_with("ERROR") {
            runs.extend(run.take());
        } else if let Some(run) = &mut run
            && !line.starts_with("WARNING")
        {
            run.add(line);
        }
    }
    runs.extend(run);
    runs
}

/// Results that a script prints: lines of words, a colon and a number.
pub(crate) fn printed(log: &str) -> Vec<(&str, f64)> {
    let lines = log.lines().filter(|line| !line.starts_with("print"));
    let results = lines.filter_map(|line| line.rsplit_once(": "));
    results.filter_map(|(words, number)| Some((words.trim(), number.trim().parse().ok()?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_words_and_a_number() {
        let log = "print \"viscosity: 1.5\"\nviscosity: 1.25\nTotal wall time: 0:02:13\nHistogram: 1 0 0\n";
        assert_eq!(printed(log), [("viscosity", 1.25)]);
    }

    #[test]
    fn rows_of_every_style_are_read() {
        let log = |rows: &str| format!("Per MPI rank memory allocation = 1 Mbytes\n{rows}Loop time of 1\n");
        let custom = "Step Temp\n0 1.44\nWARNING: dangerous\n50 0.7574531\n";
        let multi = "------------ Step              0 ----- CPU =            0 (sec) -------------\n\
                     Temp     =         1.4400\n\
                     ------------ Step             50 ----- CPU =            1 (sec) -------------\n\
                     Temp     =         0.7575\n";
        let yaml = "---\nkeywords: ['Step', 'Temp', ]\ndata:\n  - [0, 1.44, ]\n  - [50, 0.7574531, ]\n...\n";
        for rows in [custom, multi, yaml] {
            let read = &runs(&log(rows))[0];
            assert_eq!(read.heads, ["Step", "Temp"], "{rows}");
            assert_eq!((read.rows.len(), read.rows[1][0].value), (2, 50.0), "{rows}");
        }
    }

    #[test]
    fn a_run_without_a_set_up_has_headings_alone() {
        let log = "run 1 pre no\n   Step          Temp     \n         0   1.44          \nLoop time of 1\n";
        assert_eq!(runs(log)[0].rows.len(), 1);
    }

    #[test]
    fn numbers_know_their_digits() {
        let digits = |word| Number::read(word).expect("a number").digits;
        assert_eq!([digits("1.44"), digits("-120"), digits("0.0150e-3"), digits("0")], [3, 3, 3, 0]);
        assert!(Number::read("Step").is_none());
    }
}
