//! Colours by name, by type and by value. LAMMPS manual, `dump image`; the names are those of CSS (W3C, CSS Color Module Level 4).

use crate::base::error::Result;
use crate::script::{Args, Word};
use std::collections::HashMap;

/// Red, green and blue, from 0 to 1.
pub(super) type Colour = [f64; 3];

/// What types are drawn in, in turn.
pub(super) const OF_TYPES: [&str; 6] = ["red", "green", "blue", "yellow", "aqua", "cyan"];

const NAMES: [(&str, u32); 44] = [
    ("aqua", 0x00ffff),
    ("aquamarine", 0x7fffd4),
    ("beige", 0xf5f5dc),
    ("black", 0x000000),
    ("blue", 0x0000ff),
    ("blueviolet", 0x8a2be2),
    ("brown", 0xa52a2a),
    ("chocolate", 0xd2691e),
    ("coral", 0xff7f50),
    ("cyan", 0x00ffff),
    ("darkblue", 0x00008b),
    ("darkgray", 0xa9a9a9),
    ("darkgreen", 0x006400),
    ("darkorange", 0xff8c00),
    ("darkred", 0x8b0000),
    ("fuchsia", 0xff00ff),
    ("gold", 0xffd700),
    ("gray", 0x808080),
    ("green", 0x008000),
    ("indigo", 0x4b0082),
    ("ivory", 0xfffff0),
    ("khaki", 0xf0e68c),
    ("lavender", 0xe6e6fa),
    ("lightblue", 0xadd8e6),
    ("lightgreen", 0x90ee90),
    ("lime", 0x00ff00),
    ("magenta", 0xff00ff),
    ("maroon", 0x800000),
    ("navy", 0x000080),
    ("olive", 0x808000),
    ("orange", 0xffa500),
    ("orchid", 0xda70d6),
    ("pink", 0xffc0cb),
    ("plum", 0xdda0dd),
    ("purple", 0x800080),
    ("red", 0xff0000),
    ("salmon", 0xfa8072),
    ("silver", 0xc0c0c0),
    ("steelblue", 0x4682b4),
    ("tan", 0xd2b48c),
    ("teal", 0x008080),
    ("violet", 0xee82ee),
    ("white", 0xffffff),
    ("yellow", 0xffff00),
];

pub(super) fn named(name: &str) -> Option<Colour> {
    let (_, code) = NAMES.iter().find(|(known, _)| *known == name)?;
    Some([16, 8, 0].map(|shift| f64::from(code >> shift & 255) / 255.0))
}

/// The colours of a dump: those that the script has made, and those above.
#[derive(Default)]
pub(super) struct Palette(HashMap<String, Colour>);

impl Palette {
    /// Takes the words after `color`: a name, red, green and blue.
    pub(super) fn define(&mut self, args: &mut Args<'_>) -> Result<()> {
        let name = args.text("a name for the colour")?.to_owned();
        let mut colour = [0.0; 3];
        for part in &mut colour {
            let word = args.peek();
            *part = args.f64("red, green and blue from 0 to 1")?;
            if let Some(word) = word.filter(|_| !(0.0..=1.0).contains(part)) {
                return Err(args.error(word, format_args!("'{}' is not a number from 0 to 1", word.text)));
            }
        }
        self.0.insert(name, colour);
        Ok(())
    }

    /// Takes the name of a colour.
    pub(super) fn take(&self, args: &mut Args<'_>) -> Result<Colour> {
        let word = args.word("a colour")?;
        self.find(args, word, &word.text)
    }

    /// The colour of a name in a word.
    pub(super) fn find(&self, args: &Args<'_>, word: &Word, name: &str) -> Result<Colour> {
        self.0.get(name).copied().or_else(|| named(name)).ok_or_else(|| {
            let error = args.error(word, format_args!("there is no colour '{name}'"));
            error.help(format!("define it first: dump_modify ID color {name} RED GREEN BLUE"))
        })
    }
}
