//! Screen and log file. Stand-in until the real one is merged.

/// Where output goes.
#[derive(Default)]
pub struct Log {
    text: String,
}

impl Log {
    /// A log that only remembers.
    pub fn memory() -> Self {
        Log::default()
    }

    /// What was written so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes a line to screen and log file.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}
