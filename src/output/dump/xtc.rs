//! `dump xtc`: positions in the packed binary format of GROMACS, in nanometres and picoseconds. LAMMPS manual, `dump`; the format is that of
//! GROMACS's reference manual, "File formats: xtc".
//!
//! A frame is a sequence of XDR words (big endian, four bytes): 1995, the number of atoms, step, time, the three edges of the box, then
//! the positions. Up to nine atoms are plain floats. More are whole numbers of 1/precision, and a stream of bits ([`pack`]).

use super::column::{Column, Rows};
use super::{Frame, Order, Settings, Style};
use crate::base::error::{Error, Result};
use crate::script::Args;
use crate::session::Session;
use std::cell::Cell;
use std::io::Write;

/// The first word of a frame.
const MAGIC: i32 = 1995;
/// Up to so many atoms are not packed.
const FEW: usize = 9;
/// Values beyond this have no whole number.
const LARGEST: f32 = (i32::MAX - 2) as f32;

struct Xtc {
    /// Positions with the box lengths crossed.
    unwrap: bool,
    /// Whole numbers per nanometre.
    precision: f32,
    /// Nanometres per unit of length, picoseconds per unit of time.
    scale: [f64; 2],
    dt: f64,
    atoms: Cell<Option<usize>>,
}

/// Takes no further words.
pub(crate) fn new(session: &Session, _: &mut Args<'_>) -> Result<Box<dyn Style>> {
    let units = &session.system.units;
    let femtosecond = match units.name {
        "metal" => 1e-3,
        "si" | "cgs" => 1e-15,
        "micro" => 1e-9,
        "nano" => 1e-6,
        _ => 1.0,
    };
    let scale = if units.name == "lj" { [1.0; 2] } else { [0.1 / units.angstrom, 0.001 / femtosecond] };
    Ok(Box::new(Xtc { unwrap: false, precision: 1000.0, scale, dt: 0.0, atoms: Cell::new(None) }))
}

impl Style for Xtc {
    fn columns(&self) -> Vec<Column> {
        let column = if self.unwrap { Column::Unwrapped } else { Column::X };
        (0..3).map(column).collect()
    }

    fn switch(&mut self, name: &str) -> Option<&mut bool> {
        (name == "unwrap").then_some(&mut self.unwrap)
    }

    fn modify(&mut self, keyword: &str, args: &mut Args<'_>) -> Result<bool> {
        match keyword {
            "precision" => {
                let place = args.peek();
                let powers = [10_u64, 100, 1000, 10_000, 100_000, 1_000_000];
                let precision = args.count("10, 100, 1000, 10000, 100000 or 1000000 parts of a unit", 1)?;
                if let Some(word) = place.filter(|_| !powers.contains(&precision)) {
                    return Err(args.error(word, "the precision is a power of 10 from 10 to 1000000"));
                }
                self.precision = precision as f32;
            }
            "sfactor" => self.scale[0] = args.positive("the factor of lengths")?,
            "tfactor" => self.scale[1] = args.positive("the factor of times")?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn accept(&mut self, settings: &Settings<'_>) -> Result<()> {
        let refuse = |what: &str| Err(Error::new(format!("dump xtc {what}")));
        if settings.order != Order::Id {
            return refuse("needs atoms sorted by their IDs");
        }
        if !settings.output.is_plain() {
            return refuse("makes one file that begins anew: no '*', no compression, no append");
        }
        self.dt = settings.dt;
        Ok(())
    }

    fn write(
        &self,
        frame: &Frame<'_>,
        order: &[usize],
        rows: &Rows<'_>,
        _: Option<&str>,
        out: &mut dyn Write,
    ) -> std::io::Result<()> {
        let wrong = |what: String| Err(std::io::Error::other(what));
        let (Ok(step), Ok(count)) = (i32::try_from(frame.step), i32::try_from(order.len())) else {
            return wrong(format!(
                "step {} or {} atoms are too large for its format",
                frame.step,
                order.len()
            ));
        };
        if let Some(before) = self.atoms.replace(Some(order.len())).filter(|&before| before != order.len()) {
            return wrong(format!("it began with {before} atoms, and now there are {count}"));
        }
        let [length, time] = self.scale;
        let mut words = Words::default();
        words.ints([MAGIC, count, step]);
        words.floats([(time * frame.step as f64 * self.dt) as f32]);
        words.floats(frame.domain.edges().into_iter().flatten().map(|part| (length * part) as f32));
        let positions: Vec<[f32; 3]> =
            order.iter().map(|&i| [0, 1, 2].map(|axis| (length * rows.number(i, axis)) as f32)).collect();
        words.ints([count]);
        if positions.len() <= FEW {
            words.floats(positions.into_iter().flatten());
        } else {
            words.floats([self.precision]);
            let Some(whole) = whole(&positions, self.precision) else {
                return wrong(format!("a position is too large for a precision of {}", self.precision));
            };
            pack(&whole, &mut words);
        }
        out.write_all(&words.0)
    }
}

/// XDR words.
#[derive(Default)]
struct Words(Vec<u8>);

impl Words {
    fn ints(&mut self, numbers: impl IntoIterator<Item = i32>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_be_bytes()));
    }

    fn floats(&mut self, numbers: impl IntoIterator<Item = f32>) {
        numbers.into_iter().for_each(|number| self.0.extend(number.to_be_bytes()));
    }

    /// Their number, then bytes, to a whole number of words.
    fn bytes(&mut self, bytes: &[u8]) {
        self.ints([bytes.len() as i32]);
        self.0.extend(bytes);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }
}

/// Positions as the nearest whole numbers of 1/precision; none where one is too large.
fn whole(positions: &[[f32; 3]], precision: f32) -> Option<Vec<[i32; 3]>> {
    let number = |x: f32| {
        let scaled = x * precision + if x >= 0.0 { 0.5 } else { -0.5 };
        // Not a number fails here, too.
        (scaled.abs() <= LARGEST).then_some(scaled as i32)
    };
    positions.iter().map(|&[x, y, z]| Some([number(x)?, number(y)?, number(z)?])).collect()
}

/// Sizes that small differences may have: three of the k-th fit into k bits. Each is the cube root of a power of 2, rounded down.
const SIZES: [i32; 73] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 10, 12, 16, 20, 25, 32, 40, 50, 64, 80, 101, 128, 161, 203, 256, 322, 406,
    512, 645, 812, 1024, 1290, 1625, 2048, 2580, 3250, 4096, 5060, 6501, 8192, 10321, 13003, 16384, 20642,
    26007, 32768, 41285, 52015, 65536, 82570, 104_031, 131_072, 165_140, 208_063, 262_144, 330_280, 416_127,
    524_287, 660_561, 832_255, 1_048_576, 1_321_122, 1_664_510, 2_097_152, 2_642_245, 3_329_021, 4_194_304,
    5_284_491, 6_658_042, 8_388_607, 10_568_983, 13_316_085, 16_777_216,
];
/// The first of them that is in use.
const FIRST: usize = 9;
/// Above this size numbers of an axis have bits of their own.
const LARGE: u32 = 0x00ff_ffff;
/// The most atoms of a run of small differences.
const LONGEST_RUN: usize = 8;

/// Bits, the highest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    /// The lowest `count` bits of a number.
    fn send(&mut self, count: u32, number: u32) {
        for bit in (0..count).rev() {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let one = (number >> bit & 1) as u8;
            if let Some(last) = self.bytes.last_mut() {
                *last |= one << (7 - self.used % 8);
            }
            self.used += 1;
        }
    }

    /// Three numbers below their sizes as one of `count` bits, its lowest byte first.
    fn send_three(&mut self, count: u32, sizes: [u32; 3], numbers: [u32; 3]) {
        let [x, y, z] = numbers.map(u128::from);
        let mut number = (x * u128::from(sizes[1]) + y) * u128::from(sizes[2]) + z;
        let mut left = count;
        while left > 0 {
            let bits = left.min(8);
            self.send(bits, (number & 0xff) as u32);
            number >>= 8;
            left -= bits;
        }
    }
}

/// How many bits a number has.
fn bits_of(number: u128) -> u32 {
    u128::BITS - number.leading_zeros()
}

/// Whether two places differ by less than `size` along each axis.
fn near(a: [i32; 3], b: [i32; 3], size: i32) -> bool {
    (0..3).all(|d| i64::from(a[d]).abs_diff(i64::from(b[d])) < size as u64)
}

/// The packed positions: bounds, the first size of small differences, the stream of bits.
///
/// An atom is written whole. Then one bit says whether the length of a run, or the size of small differences, is another than before;
/// if so, five bits say which. Then come the differences of the atoms of that run. Of an atom and the next one beside it, the next one
/// comes first: so a water's oxygen lies between its hydrogens, and all differences are short.
fn pack(positions: &[[i32; 3]], words: &mut Words) {
    let bound = |choose: fn(i32, i32) -> i32| {
        positions.iter().fold(positions[0], |so_far, at| [0, 1, 2].map(|d| choose(so_far[d], at[d])))
    };
    let (lo, hi) = (bound(i32::min), bound(i32::max));
    words.ints(lo);
    words.ints(hi);
    let sizes = [0, 1, 2].map(|d| hi[d].abs_diff(lo[d]).saturating_add(1));
    let large = sizes.iter().any(|&size| size > LARGE);
    let together = bits_of(sizes.iter().map(|&size| u128::from(size)).product());
    // The least way from an atom to the next one.
    let ways = positions
        .windows(2)
        .map(|pair| (0..3).map(|d| i64::from(pair[1][d]).abs_diff(i64::from(pair[0][d]))).sum::<u64>());
    let least = ways.min().unwrap_or(u64::MAX);
    let mut small = (FIRST..SIZES.len() - 1).find(|&k| SIZES[k] as u64 >= least).unwrap_or(SIZES.len() - 1);
    words.ints([small as i32]);
    let most = (small + 8).min(SIZES.len() - 1);
    let least = most - 8;
    let larger = SIZES[most] / 2;

    let mut at = positions.to_vec();
    let mut bits = Bits::default();
    let mut run_before = None;
    let mut before = [0; 3];
    let mut i = 0;
    while i < at.len() {
        let half = SIZES[small] / 2;
        let smaller = SIZES[FIRST.max(small - 1)] / 2;
        // Whether the next size is the next larger (1) or smaller (-1) one.
        let mut change = match () {
            () if small < most && i >= 1 && near(at[i], before, larger) => 1,
            () if small > least => -1,
            () => 0,
        };
        let mut close = i + 1 < at.len() && near(at[i], at[i + 1], half);
        if close {
            at.swap(i, i + 1);
        }
        let from_lo = [0, 1, 2].map(|d| at[i][d].wrapping_sub(lo[d]) as u32);
        if large {
            (0..3).for_each(|d| bits.send(bits_of(u128::from(sizes[d])), from_lo[d]));
        } else {
            bits.send_three(together, sizes, from_lo);
        }
        before = at[i];
        i += 1;
        if !close && change == -1 {
            change = 0;
        }
        let mut run = Vec::new();
        while close && run.len() < LONGEST_RUN {
            let way = [0, 1, 2].map(|d| at[i][d] - before[d]);
            let squared: i64 = way.iter().map(|&part| i64::from(part) * i64::from(part)).sum();
            if change == -1 && squared >= i64::from(smaller) * i64::from(smaller) {
                change = 0;
            }
            run.push(way.map(|part| (part + half) as u32));
            before = at[i];
            i += 1;
            close = i < at.len() && near(at[i], before, half);
        }
        if run_before != Some(run.len()) || change != 0 {
            run_before = Some(run.len());
            bits.send(1, 1);
            bits.send(5, (3 * run.len() as i32 + change + 1) as u32);
        } else {
            bits.send(1, 0);
        }
        for way in run {
            bits.send_three(small as u32, [SIZES[small] as u32; 3], way);
        }
        small = (small as i32 + change) as usize;
    }
    words.bytes(&bits.bytes);
}
