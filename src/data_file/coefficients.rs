//! The sections of coefficients of a data file: what the commands of the same names would say.

use super::lines::Lines;
use crate::error::Result;
use crate::script::{Args, Command, Word};
use crate::state::State;
use crate::{bond, pair};
use std::io::BufRead;

/// Sections Pair Coeffs (`type values`), PairIJ Coeffs (`type type values`) and Bond Coeffs (`type values`) as
/// `pair_coeff` and `bond_coeff` commands whose words point into the data file.
pub(super) fn read<R: BufRead>(
    lines: &mut Lines<R>,
    section: &str,
    [types, bond_types]: [usize; 2],
) -> Result<Vec<Command>> {
    let (name, count) = match section {
        "Pair Coeffs" => ("pair_coeff", types),
        "Bond Coeffs" => ("bond_coeff", bond_types),
        _ => ("pair_coeff", types * (types + 1) / 2),
    };
    let mut commands = Vec::new();
    lines.each(section, count, |lines| {
        let source = lines.source();
        let start = lines.line.as_ptr() as usize;
        let mut words = vec![Word { text: name.into(), span: 0..0 }];
        for text in lines.text().split_ascii_whitespace() {
            let at = text.as_ptr() as usize - start;
            words.push(Word { text: text.into(), span: at..at + text.len() });
        }
        if section == "Pair Coeffs" {
            words.insert(1, words[1].clone());
        }
        commands.push(Command { source, words });
        Ok(())
    })?;
    Ok(commands)
}

/// Hands the lines of the sections of coefficients, as `pair_coeff` and `bond_coeff` commands, to the styles.
pub(super) fn apply(state: &mut State, commands: &[Command]) -> Result<()> {
    commands.iter().try_for_each(|command| match Args::new(command) {
        mut args if args.name() == "bond_coeff" => bond::bond_coeff(state, &mut args),
        mut args => pair::pair_coeff(state, &mut args),
    })
}
