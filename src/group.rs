//! Groups of atoms.

/// The groups of a script: at most 32, `all` is number 0.
#[derive(Debug)]
pub struct Groups {
    /// Names; the index is the bit in [`crate::atoms::Atoms::mask`].
    pub names: Vec<String>,
}

impl Default for Groups {
    fn default() -> Self {
        Groups { names: vec!["all".into()] }
    }
}

impl Groups {
    /// Takes a group's name.
    pub fn arg(&self, args: &mut crate::script::Args<'_>) -> crate::error::Result<u32> {
        let word = args.word("a group")?;
        self.bit(&word.text).ok_or_else(|| args.unknown(word, "group", self.names.iter().map(String::as_str)))
    }

    /// The bit (as a mask with one bit set) of a group.
    pub fn bit(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n == name).map(|g| 1 << g)
    }
}
