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
    /// The bit (as a mask with one bit set) of a group.
    pub fn bit(&self, name: &str) -> Option<u32> {
        self.names.iter().position(|n| n == name).map(|g| 1 << g)
    }
}
