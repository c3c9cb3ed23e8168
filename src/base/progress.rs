//! A progress bar for long runs: on standard error, only when that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::time::{Duration, Instant};

/// Runs shorter than this show no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often a second the bar is drawn at most.
const DRAWS_PER_SECOND: u8 = 5;

/// The bar of one run; erased when dropped.
pub struct Progress {
    bar: ProgressBar,
    first: i64,
    /// When drawing may begin; `None` where it never does.
    from: Option<Instant>,
}

impl Progress {
    /// For a run from step `first` to step `last`; draws only if `enabled` and standard error is a terminal.
    pub fn new(first: i64, last: i64, enabled: bool) -> Self {
        let target = match enabled {
            true => ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND),
            false => ProgressDrawTarget::hidden(),
        };
        Progress::on(target, first, last, PATIENCE)
    }

    fn on(target: ProgressDrawTarget, first: i64, last: i64, patience: Duration) -> Self {
        let from = (!target.is_hidden()).then(|| Instant::now() + patience);
        let bar = ProgressBar::with_draw_target(Some(last.saturating_sub(first).max(0) as u64), target);
        let style = ProgressStyle::with_template("[{wide_bar}] {percent}% {speed} {eta} left")
            .expect("the template is valid")
            .with_key("speed", |state: &ProgressState, out: &mut dyn std::fmt::Write| {
                // The bar tolerates a short write better than a panic.
                let _ = write!(out, "{:.0} steps/s", state.per_sec());
            });
        bar.set_style(style.progress_chars("=> "));
        Progress { bar, first, from }
    }

    /// The run has reached `step`. Cheap: may be called at every step.
    pub fn tick(&self, step: i64) {
        if self.from.is_some_and(|from| Instant::now() >= from) {
            self.bar.set_position(step.saturating_sub(self.first).max(0) as u64);
        }
    }

    /// Does something that writes to the terminal, with the bar out of the way.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        if self.from.is_some() { self.bar.suspend(write) } else { write() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A terminal that remembers what was drawn; `\x18` stands for a cleared line.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl Paper {
        fn add(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().expect("not poisoned").push_str(text);
            Ok(())
        }

        fn text(&self) -> String {
            self.0.lock().expect("not poisoned").clone()
        }
    }

    impl indicatif::TermLike for Paper {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.add(text)?;
            self.add("\n")
        }
        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.add(text)
        }
        fn clear_line(&self) -> std::io::Result<()> {
            self.add("\x18")
        }
        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn on_paper(patience: Duration) -> (Progress, Paper) {
        let paper = Paper::default();
        let target = ProgressDrawTarget::term_like(Box::new(paper.clone()));
        (Progress::on(target, 100, 300, patience), paper)
    }

    #[test]
    fn draws_steps_per_second_and_clears_for_other_output() {
        let (progress, paper) = on_paper(Duration::ZERO);
        progress.tick(150);
        assert!(paper.text().contains("25%") && paper.text().contains("steps/s"), "{:?}", paper.text());
        progress.suspend(|| {
            assert!(paper.text().ends_with('\x18'), "{:?}", paper.text());
        });
        drop(progress);
        assert!(paper.text().ends_with('\x18'), "{:?}", paper.text());
    }

    #[test]
    fn short_runs_show_nothing() {
        let (progress, paper) = on_paper(Duration::from_secs(1000));
        progress.tick(150);
        drop(progress);
        assert!(!paper.text().contains("steps/s"), "{:?}", paper.text());
    }
}
