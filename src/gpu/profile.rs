//! Records of what was enqueued: calls, bytes, and device time from events.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::time::Duration;

use super::cl::Event;
use super::status::ClResult;
use crate::gpu::options::TimingMode;
use crate::gpu::record::{KernelRecord, Section};

/// So many events may wait before the finished ones among them are folded into the records.
const PENDING: usize = 1000;

/// So many commands of a kind are timed whether it is their turn or not.
const FIRST: u64 = 2;

/// Commands of which it is not known yet what they do.
pub struct Draft(Vec<(&'static str, Section)>);

impl Draft {
    /// How many they are.
    pub fn commands(&self) -> usize {
        self.0.len()
    }
}

/// The records of one device since they were last taken.
pub(super) struct Recorder {
    mode: TimingMode,
    sampling: bool,
    entries: Vec<Entry>,
    /// Events not yet read, with the bookings they belong to; in queue order.
    pending: VecDeque<(Range<u64>, Event)>,
    /// The commands that may yet be declared void, and the number of the first of them.
    journal: VecDeque<Booking>,
    journal_start: u64,
    /// Length of `pending` at which the next look at its head is due.
    look_at: usize,
    /// Commands of which it is not known yet what they do; they are not timed.
    drafts: Option<Vec<(&'static str, Section)>>,
    /// The host's own work by section: how many parts, and how long they took.
    host: BTreeMap<(Section, &'static str), (u64, Duration)>,
}

struct Entry {
    name: &'static str,
    section: Section,
    calls: u64,
    launches: u64,
    sampled: u64,
    seconds: f64,
    /// The parts and the time of the first timed command, which a device that has to wake up for it takes longer for: it counts
    /// where there are no others.
    cold: Option<(u64, f64)>,
    bytes: u64,
}

/// One command as it was booked, or a part of one that counts as several.
struct Booking {
    entry: usize,
    /// Whether it is the first part of its command.
    begins: bool,
    /// The first part of a command has all of its time.
    seconds: Option<f64>,
}

impl Recorder {
    pub(super) fn new(mode: TimingMode) -> Self {
        Recorder {
            mode,
            sampling: false,
            entries: Vec::new(),
            pending: VecDeque::new(),
            journal: VecDeque::new(),
            journal_start: 0,
            look_at: PENDING,
            drafts: None,
            host: BTreeMap::new(),
        }
    }

    /// Begins a draft: what is enqueued from here on is not booked.
    pub(super) fn draft(&mut self) {
        self.drafts = Some(Vec::new());
    }

    /// Ends a draft: its commands.
    pub(super) fn end_draft(&mut self) -> Draft {
        Draft(self.drafts.take().unwrap_or_default())
    }

    /// Books the first commands of a draft, each as so many of its kind; the others have done nothing.
    pub(super) fn book(&mut self, draft: Draft, counts: &[u32]) -> ClResult<()> {
        let mut commands = draft.0.into_iter().zip(counts);
        commands.try_for_each(|((name, section), &count)| self.add(name, section, 0, count, None))
    }

    pub(super) fn mode(&self) -> TimingMode {
        self.mode
    }

    /// The number of the next command.
    pub(super) fn mark(&self) -> u64 {
        self.journal_start + self.journal.len() as u64
    }

    /// Takes the commands from number `mark` on out of the books. Call [`fold_all`](Self::fold_all) first.
    pub(super) fn void_since(&mut self, mark: u64) {
        while self.mark() > mark.max(self.journal_start) {
            if let Some(booking) = self.journal.pop_back() {
                let entry = &mut self.entries[booking.entry];
                entry.calls -= 1;
                entry.launches -= u64::from(booking.begins);
                entry.sampled -= u64::from(booking.seconds.is_some());
                entry.seconds -= booking.seconds.unwrap_or(0.0);
            }
        }
    }

    /// What was enqueued so far stays in the books.
    pub(super) fn settle(&mut self) {
        // Bookings that wait for their event are still needed.
        let keep = self.pending.front().map_or(self.mark(), |(parts, _)| parts.start);
        while self.journal_start < keep {
            self.journal.pop_front();
            self.journal_start += 1;
        }
    }

    /// Whether the commands that follow are timed, in [`TimingMode::Sampled`].
    pub(super) fn sample(&mut self, on: bool) {
        self.sampling = on;
    }

    /// Whether the next command shall have an event. The first ones of each kind do, so that of all something is known.
    pub(super) fn timed(&self, name: &'static str, section: Section) -> bool {
        match self.mode {
            _ if self.drafts.is_some() => false,
            TimingMode::Off => false,
            TimingMode::Sampled => {
                let entry = self.entries.iter().find(|e| e.name == name && e.section == section);
                self.sampling || entry.is_none_or(|e| e.calls < FIRST)
            }
            TimingMode::Full => true,
        }
    }

    /// Books a command, as so many of its kind. Never waits.
    pub(super) fn add(
        &mut self,
        name: &'static str,
        section: Section,
        bytes: usize,
        parts: u32,
        event: Option<Event>,
    ) -> ClResult<()> {
        if let Some(drafts) = &mut self.drafts {
            drafts.push((name, section));
            return Ok(());
        }
        let at = self.entries.iter().position(|e| e.name == name && e.section == section);
        let at = at.unwrap_or_else(|| {
            self.entries.push(Entry {
                name,
                section,
                calls: 0,
                launches: 0,
                sampled: 0,
                seconds: 0.0,
                cold: None,
                bytes: 0,
            });
            self.entries.len() - 1
        });
        self.entries[at].calls += u64::from(parts);
        self.entries[at].launches += 1;
        self.entries[at].bytes += bytes as u64;
        let first = self.mark();
        self.journal.extend((0..parts).map(|part| Booking { entry: at, begins: part == 0, seconds: None }));
        if let Some(event) = event {
            self.pending.push_back((first..self.mark(), event));
            if self.pending.len() >= self.look_at {
                self.fold_ended()?;
                self.look_at = PENDING.max(2 * self.pending.len());
            }
        }
        Ok(())
    }

    /// Books a part of the host's own work, under HOST or HOST_BESIDE.
    pub(super) fn add_host(&mut self, section: Section, name: &'static str, took: Duration) {
        if self.mode == TimingMode::Off || self.drafts.is_some() {
            return;
        }
        let (parts, time) = self.host.entry((section, name)).or_default();
        *parts += 1;
        *time += took;
    }

    /// Folds the events of commands that have ended; the queue is in order, so these are at the front.
    fn fold_ended(&mut self) -> ClResult<()> {
        while let Some((_, event)) = self.pending.front() {
            if !event.ended()? {
                break;
            }
            self.fold_first()?;
        }
        Ok(())
    }

    /// Waits for all events and folds them.
    pub(super) fn fold_all(&mut self) -> ClResult<()> {
        if let Some((_, last)) = self.pending.back() {
            last.wait()?;
        }
        while !self.pending.is_empty() {
            self.fold_first()?;
        }
        self.look_at = PENDING;
        Ok(())
    }

    fn fold_first(&mut self) -> ClResult<()> {
        if let Some((parts, event)) = self.pending.pop_front() {
            // In order: this one has ended when a later one has, but some runtimes publish its times late.
            event.wait()?;
            let seconds = event.seconds()?;
            if self.mode == TimingMode::Sampled {
                let entry =
                    &mut self.entries[self.journal[(parts.start - self.journal_start) as usize].entry];
                if entry.cold.is_none() {
                    entry.cold = Some((parts.end - parts.start, seconds));
                    return Ok(());
                }
            }
            for part in parts.clone() {
                let booking = &mut self.journal[(part - self.journal_start) as usize];
                let seconds = if part == parts.start { seconds } else { 0.0 };
                booking.seconds = Some(seconds);
                self.entries[booking.entry].seconds += seconds;
                self.entries[booking.entry].sampled += 1;
            }
        }
        Ok(())
    }

    /// The records in order of first use, and a new beginning. Call [`fold_all`](Self::fold_all) first.
    pub(super) fn take(&mut self) -> Vec<KernelRecord> {
        self.settle();
        let entries = std::mem::take(&mut self.entries);
        let counted = |e: Entry| match e.cold {
            Some((sampled, seconds)) if e.sampled == 0 => Entry { sampled, seconds, ..e },
            _ => e,
        };
        let record = |e: Entry| KernelRecord {
            name: e.name.to_owned(),
            section: e.section,
            calls: e.calls,
            launches: e.launches,
            sampled: e.sampled,
            sampled_seconds: e.seconds,
            seconds: if e.sampled > 0 { e.seconds / e.sampled as f64 * e.calls as f64 } else { 0.0 },
            bytes: e.bytes,
            work: None,
        };
        let host =
            std::mem::take(&mut self.host).into_iter().map(|((section, name), (parts, time))| KernelRecord {
                name: name.to_owned(),
                section,
                calls: parts,
                launches: 0,
                sampled: parts,
                sampled_seconds: time.as_secs_f64(),
                seconds: time.as_secs_f64(),
                bytes: 0,
                work: None,
            });
        entries.into_iter().map(counted).map(record).chain(host).collect()
    }
}
