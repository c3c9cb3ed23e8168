//! LAMMPS's single-dash words into long options, before clap sees them.

use crate::base::options_text::SEPARATOR;

use crate::base::error::{Error, Result};

#[derive(Clone, Copy)]
enum Takes {
    Nothing,
    Value,
    /// All words up to the next option.
    Words,
    /// In LAMMPS, not here: what to do instead.
    Unsupported(&'static str),
}

const ONE_PROCESS: &str = "all processes of CLAMPS work on one run: leave it out, and start one run for each partition, with `-var` and `-log` of its own";

/// LAMMPS's options (and CLAMPS's own with a short form of several letters): names, the first one being
/// the long option, and what follows. Source: LAMMPS manual, "Command-line options".
const OPTIONS: &[(&[&str], Takes)] = &[
    (&["in", "i"], Takes::Value),
    (&["var", "v"], Takes::Words),
    (&["log", "l"], Takes::Value),
    (&["screen", "sc"], Takes::Value),
    (&["echo", "e"], Takes::Value),
    (&["skiprun", "sr"], Takes::Nothing),
    (&["help", "h"], Takes::Nothing),
    (&["suffix", "sf"], Takes::Words),
    (&["package", "pk"], Takes::Words),
    (&["kokkos", "k"], Takes::Words),
    (&["nocite", "nc"], Takes::Nothing),
    (&["cite", "c"], Takes::Value),
    (&["nonbuf", "nb"], Takes::Nothing),
    (&["device", "dev"], Takes::Value),
    (&["mpi"], Takes::Value),
    (&["precision"], Takes::Value),
    (&["json"], Takes::Value),
    (&["timing"], Takes::Value),
    (&["kernels"], Takes::Value),
    (&["tune"], Takes::Value),
    (&["allow-shell"], Takes::Nothing),
    (&["partition", "p"], Takes::Unsupported(ONE_PROCESS)),
    (&["plog", "pl"], Takes::Unsupported(ONE_PROCESS)),
    (&["pscreen", "ps"], Takes::Unsupported(ONE_PROCESS)),
    (&["mdi"], Takes::Unsupported("there is no coupling with other programs")),
    (&["mpicolor", "m"], Takes::Unsupported(ONE_PROCESS)),
    (&["reorder", "r", "ro"], Takes::Unsupported(ONE_PROCESS)),
    (&["restart2data", "r2data"], Takes::Unsupported("write a script with `read_restart` and `write_data`")),
    (&["restart2dump", "r2dump"], Takes::Unsupported("write a script with `read_restart` and `write_dump`")),
    (&["restart2info", "r2info"], Takes::Unsupported("write a script with `read_restart` and `info`")),
];

/// `-7` and `-.5` are values, `-log` and `--log` are not.
fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'))
}

/// The arguments as clap is to see them; the first one, the program's name, stays. Several values of one
/// option become one word: see [`values`].
///
/// # Errors
/// At an option of LAMMPS that CLAMPS does not have.
pub(crate) fn long_options(words: impl IntoIterator<Item = String>) -> Result<Vec<String>> {
    let mut words = words.into_iter().peekable();
    let mut output: Vec<String> = words.next().into_iter().collect();
    while let Some(word) = words.next() {
        let name = word.strip_prefix("--").or(word.strip_prefix('-')).filter(|_| is_option(&word));
        let known = name.and_then(|name| OPTIONS.iter().find(|(names, _)| names.contains(&name)));
        let Some((names, takes)) = known else {
            // An unknown word of several letters: clap answers with the option that is closest.
            let lone = name.is_some_and(|name| name.chars().count() > 1) && !word.starts_with("--");
            output.push(if lone { format!("-{word}") } else { word });
            continue;
        };
        let long = format!("--{}", names[0]);
        let value = match takes {
            Takes::Unsupported(instead) => {
                let error = Error::new(format!("LAMMPS option {word} is not supported by CLAMPS"));
                return Err(error.help(*instead));
            }
            Takes::Nothing => None,
            Takes::Value => words.next_if(|next| !is_option(next)),
            Takes::Words => {
                let mut values = Vec::new();
                while let Some(value) = words.next_if(|next| !is_option(next)) {
                    values.push(value);
                }
                (!values.is_empty()).then(|| values.join(&SEPARATOR.to_string()))
            }
        };
        output.push(match value {
            Some(value) => format!("{long}={value}"),
            None => long,
        });
    }
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(words: &str) -> String {
        let words = words.split(' ').map(String::from);
        long_options(words).expect("supported").join(" ").replace(SEPARATOR, ",")
    }

    #[test]
    fn lammps_words_become_long_options() {
        assert_eq!(
            long("lmp -in in.lj -l none -sc none -e both"),
            "lmp --in=in.lj --log=none --screen=none --echo=both"
        );
        assert_eq!(long("lmp -var x 1 -2 -.5 y -v z a -i f"), "lmp --var=x,1,-2,-.5,y --var=z,a --in=f");
        assert_eq!(
            long("lmp -k on g 1 -sf kk -pk kokkos neigh half -nc -sr"),
            "lmp --kokkos=on,g,1 --suffix=kk --package=kokkos,neigh,half --nocite --skiprun"
        );
        assert_eq!(long("lmp -dev gpu --json a.json"), "lmp --device=gpu --json=a.json");
    }

    #[test]
    fn the_rest_is_left_to_clap() {
        assert_eq!(long("lmp devices -bandwidth"), "lmp devices --bandwidth");
        // An option of runs with a value, and one of `tune` without.
        assert_eq!(long("lmp -skin auto -in x"), "lmp --skin auto --in=x");
        assert_eq!(long("lmp tune -skin x"), "lmp tune --skin x");
        assert_eq!(long("lmp --in=x -prescision -q -in"), "lmp --in=x --prescision -q --in");
    }

    #[test]
    fn unsupported_options_say_so() {
        for word in ["-p", "-partition", "-r2data", "-reorder"] {
            let error = long_options(["lmp", word].map(String::from)).expect_err("unsupported");
            assert!(error.message.contains(word) && error.help.is_some(), "{}", error.message);
        }
    }
}
