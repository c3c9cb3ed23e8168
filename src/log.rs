//! Screen and log file. Stand-in until the real one is merged.

/// Where output goes.
#[derive(Default)]
pub struct Log {
    /// What was written so far.
    pub text: String,
}

impl Log {
    /// Writes a line to screen and log file.
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }
}
