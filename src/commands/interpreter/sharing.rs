//! Commands that steer how LAMMPS's processes share the box: read and checked as LAMMPS does, so that scripts written for it run, on as many
//! ranks as they name. Ranks of CLAMPS have as many atoms each by themselves, and as much work each where `balance` asks for that; each command that does
//! nothing says so once in the log.

use super::Interpreter;
use super::ignored::keyword;
use crate::base::error::{Error, Result};
use crate::base::ranks;
use crate::base::text;
use crate::model::atoms::range_of;
use crate::script::{Args, Word};
use crate::session::sharing::{Balance, Mode};
use crate::session::weights::{self, Measured, Weights};
use std::path::Path;

const AXES: [&str; 3] = ["x", "y", "z"];

/// More collections of types than anyone has.
const COLLECTIONS: usize = 4096;

impl Interpreter {
    /// Says once that a command shares out nothing, and what does.
    pub(super) fn note_shares(&mut self, command: &str) {
        self.note_line(format!(
            "Note: '{command}' has no effect in CLAMPS, whose ranks take shares of as many atoms along a Hilbert curve by themselves"
        ));
    }
}

/// Takes a number of processors, 0 for `*`.
fn processors_along(args: &mut Args, what: &str) -> Result<u32> {
    if args.accept("*") { Ok(0) } else { args.int(&format!("{what} or *")) }
}

/// The product of the numbers of a grid that are given.
fn given(grid: [u32; 3]) -> u64 {
    grid.iter()
        .filter(|&&along| along > 0)
        .fold(1, |product: u64, &along| product.saturating_mul(along.into()))
}

/// Whether a grid of so many can have the numbers that are not 0 along its axes.
fn fits(grid: [u32; 3], count: usize) -> bool {
    let count = count as u64;
    if grid.contains(&0) { count.is_multiple_of(given(grid)) } else { given(grid) == count }
}

fn ranks_in_words() -> String {
    match ranks::count() {
        1 => "this run has 1 process".to_owned(),
        count => format!("this run has {count} processes"),
    }
}

/// `processors PX PY PZ`, with `grid onelevel|twolevel NC CX CY CZ|numa|custom FILE`, `map ORDER`, `part ...`, `file FILE`, `numa_nodes N`.
pub(super) fn processors(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    if me.session.system.domain.is_some() {
        return Err(args
            .error(args.command_name(), "processors come before the simulation box")
            .help("write it before create_box, read_data or read_restart"));
    }
    let first = args.peek();
    let mut grid = [0; 3];
    for along in &mut grid {
        *along = processors_along(args, "a number of processors")?;
    }
    let count = ranks::count();
    if let Some(word) = first.filter(|_| !fits(grid, count)) {
        let [x, y, z] = grid.map(|along| if along == 0 { "*".to_owned() } else { along.to_string() });
        let error = args.error(
            word,
            format_args!("a grid of {x} x {y} x {z} processors is not to be had: {}", ranks_in_words()),
        );
        let given = given(grid);
        return Err(
            error.help(format!("write `processors * * *`, or start {given}: mpirun -np {given} clamps ..."))
        );
    }
    if let Some(word) = first.filter(|_| me.session.system.dimension == 2 && grid[2] > 1) {
        return Err(args.error(word, "in 2 dimensions there is one processor along z"));
    }
    let (mut numa, mut map) = (None, None);
    while !args.is_empty() {
        let word = keyword(args, "processors keyword", &["grid", "map", "part", "file", "numa_nodes"])?;
        match &*word.text {
            "grid" => {
                let style = keyword(args, "processors grid", &["onelevel", "twolevel", "numa", "custom"])?;
                match &*style.text {
                    "twolevel" => cores(args)?,
                    "numa" => numa = Some(style),
                    "custom" => {
                        let word = args.word("a file name")?;
                        custom_grid(Path::new(&word.text), grid).map_err(|error| args.place(word, error))?;
                    }
                    _ => {}
                }
            }
            "map" => {
                let orders = ["cart", "cart/reorder", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"];
                map = Some(keyword(args, "processors map", &orders)?);
            }
            "part" => {
                return Err(args
                    .error(word, "part is for several partitions")
                    .help("CLAMPS has one, of all ranks: leave it out"));
            }
            "file" => _ = args.word("a file name")?,
            _ => _ = args.int::<i32>("a number of NUMA domains")?,
        }
    }
    if let Some(style) = numa {
        if let Some(map) = map.filter(|map| map.text != "cart") {
            return Err(args.error(map, "grid numa goes with map cart alone"));
        }
        if grid.iter().any(|&along| along > 1) {
            return Err(args.error(style, "grid numa goes with * and 1 along all axes alone"));
        }
    }
    me.session.sharing.grid = grid;
    me.note_shares("processors");
    Ok(())
}

/// The words behind `twolevel`: cores of a node, and their grid.
fn cores(args: &mut Args) -> Result<()> {
    let word = args.peek();
    let cores = args.count("a number of cores", 1)? as usize;
    let mut grid = [0; 3];
    for along in &mut grid {
        *along = processors_along(args, "a number of cores")?;
    }
    let Some(word) = word else { return Ok(()) };
    if !ranks::count().is_multiple_of(cores) {
        return Err(args.error(word, format_args!("{}, not a multiple of {cores}", ranks_in_words())));
    }
    match fits(grid, cores) {
        true => Ok(()),
        false => Err(args.error(word, format_args!("these numbers of cores do not make {cores}"))),
    }
}

/// Reads a file of `grid custom`: the grid, and a place in it for each processor.
fn custom_grid(path: &Path, asked: [u32; 3]) -> Result<()> {
    let text = text::read(path, "a grid of processors")?;
    let mut lines = (1..).zip(text.lines()).map(|(number, line)| (number, line.trim()));
    let wrong = |number: usize, what: &str| Error::new(format!("{}:{number}: {what}", path.display()));
    let numbers = |line: &str| {
        line.split_whitespace().map(str::parse::<u32>).collect::<std::result::Result<Vec<_>, _>>().ok()
    };
    let count = ranks::count();
    let Some((number, line)) = lines.find(|(_, line)| !line.is_empty() && !line.starts_with('#')) else {
        return Err(wrong(1, "there is no grid, such as 2 2 1"));
    };
    let grid: [u32; 3] = numbers(line)
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| wrong(number, "this is no grid, such as 2 2 1"))?;
    if !fits(grid, count) || grid.iter().zip(asked).any(|(&along, asked)| asked > 0 && along != asked) {
        return Err(wrong(
            number,
            &format!("another grid than processors asks for, or another number: {}", ranks_in_words()),
        ));
    }
    for _ in 0..count {
        let (number, line) =
            lines.next().ok_or_else(|| Error::new(format!("{} ends amid the grid", path.display())))?;
        let place = numbers(line).filter(|place| {
            place.len() == 4
                && (place[0] as usize) < count
                && (0..3).all(|axis| (1..=grid[axis]).contains(&place[axis + 1]))
        });
        place.ok_or_else(|| {
            wrong(number, "this is no processor and its place in the grid, such as 0 1 1 1")
        })?;
    }
    Ok(())
}

/// `comm_style brick|tiled`.
pub(super) fn comm_style(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let style = keyword(args, "communication style", &["brick", "tiled"])?;
    args.finish()?;
    me.session.sharing.tiled = style.text == "tiled";
    me.note_shares("comm_style");
    Ok(())
}

/// `comm_modify KEYWORD VALUES ...`.
pub(super) fn comm_modify(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let known = ["mode", "cutoff", "cutoff/multi", "cutoff/multi/old", "group", "reduce/multi", "vel"];
    loop {
        let word = keyword(args, "comm_modify keyword", &known)?;
        let mode = me.session.sharing.mode;
        let needs = |needed: Mode, name: &str| match mode == needed {
            true => Ok(()),
            false => Err(args
                .error(word, format_args!("{} is for mode {name}", word.text))
                .help(format!("write `comm_modify mode {name}` before"))),
        };
        match &*word.text {
            "mode" => communication_mode(me, args)?,
            "cutoff" => {
                needs(Mode::Single, "single")?;
                args.not_negative("a cutoff")?;
            }
            "cutoff/multi" => {
                needs(Mode::Multi, "multi")?;
                me.session.domain().map_err(|error| args.place(word, error))?;
                range_of("a collection of types", "collections", args, COLLECTIONS)?;
                args.not_negative("a cutoff")?;
            }
            "cutoff/multi/old" => {
                needs(Mode::MultiOld, "multi/old")?;
                me.session.domain().map_err(|error| args.place(word, error))?;
                range_of("an atom type", "atom types", args, me.session.types())?;
                args.not_negative("a cutoff")?;
            }
            "group" => {
                me.session.system.groups.arg(args)?;
            }
            "vel" => {
                args.yes_no()?;
            }
            _ => needs(Mode::Multi, "multi")?,
        }
        if args.is_empty() {
            break;
        }
    }
    me.note_line(
        "Note: 'comm_modify' has no effect in CLAMPS, which knows atoms and velocities as far as lists, bonds and computes reach"
            .to_owned(),
    );
    Ok(())
}

/// The word behind `mode`, which goes with a way to build lists (`neighbor`).
fn communication_mode(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    let style = keyword(args, "communication mode", &["single", "multi", "multi/old"])?;
    let multi = me.session.neighbor.multi;
    me.session.sharing.mode = match &*style.text {
        "single" => Mode::Single,
        "multi" if multi => Mode::Multi,
        "multi/old" if !multi => Mode::MultiOld,
        "multi" => {
            let error = args.error(style, "mode multi goes with lists of this style");
            return Err(error.help("write `neighbor SKIN multi` before"));
        }
        _ => {
            let error = args.error(style, "mode multi/old does not go with lists of style multi");
            return Err(error.help("write `mode multi`, or `neighbor SKIN bin` before"));
        }
    };
    Ok(())
}

/// `balance THRESH x|y|z uniform|NUMBERS ...`, `shift AXES N THRESH` or `rcb`, with `weight ...`, `out FILE`,
/// `sort yes|no`. Planes move nothing; `shift` and `rcb` have ranks share the work out evenly at the next set-up of a run.
pub(super) fn balance(me: &mut Interpreter, args: &mut Args) -> Result<()> {
    me.session.domain().map_err(|error| args.place(args.command_name(), error))?;
    let threshold = args.f64("the imbalance that is borne")?;
    let styles = ["x", "y", "z", "shift", "rcb"];
    let style = keyword(args, "balance style", &styles)?;
    match &*style.text {
        "shift" => weights::shift(&me.session, args)?,
        "rcb" => weights::tiles(&me.session, args, style)?,
        _ => planes(me, args, style)?,
    }
    let mut given = Weights::default();
    while !args.is_empty() {
        let word = keyword(args, "balance keyword", &["x", "y", "z", "weight", "out", "sort"])?;
        match &*word.text {
            "weight" => given.read(&me.session, args)?,
            "out" => _ = args.word("a file name")?,
            "sort" => _ = args.yes_no()?,
            _ if AXES.contains(&&*style.text) => planes(me, args, word)?,
            _ => {
                return Err(args.error(
                    word,
                    format_args!("{} and {} are two styles of balancing", style.text, word.text),
                ));
            }
        }
    }
    let Measured { work, stored, .. } = given.measure(&me.session.now())?;
    weights::store(&mut me.session, stored);
    if AXES.contains(&&*style.text) {
        me.note_line(
            "Note: 'balance' along x, y or z has no effect in CLAMPS, whose ranks take shares of as many atoms along a Hilbert curve by themselves; \
             'balance THRESH shift AXES N STOP' gives each as much work"
                .to_owned(),
        );
    } else {
        me.session.sharing.balance = Some(Balance { threshold, work });
    }
    Ok(())
}

/// The words behind an axis: `uniform`, or where parts end, for one processor fewer than there are along it.
fn planes(me: &Interpreter, args: &mut Args, axis: &Word) -> Result<()> {
    if axis.text == "z" && me.session.system.dimension == 2 {
        return Err(args.error(axis, "in 2 dimensions nothing is balanced along z"));
    }
    if args.accept("uniform") {
        return Ok(());
    }
    let along = AXES
        .iter()
        .position(|&name| name == axis.text)
        .map_or(0, |axis| me.session.sharing.grid[axis] as usize);
    let (most, mut last) = (if along == 0 { ranks::count() } else { along } - 1, 0.0);
    let what = "uniform or where a processor's part ends";
    let mut count = 0;
    while count == 0
        || args
            .peek()
            .is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)))
    {
        let word = args.word(what)?;
        let place: f64 =
            word.text.parse().map_err(|_| args.error(word, format_args!("'{}' is not {what}", word.text)))?;
        if !(place > last && place < 1.0) {
            return Err(args.error(word, "places of planes ascend, greater than 0 and less than 1"));
        }
        (count, last) = (count + 1, place);
        if count > most {
            let message = format!(
                "{count} planes are more than {most}, one fewer than processors along {}: {}",
                axis.text,
                ranks_in_words()
            );
            return Err(args.error(word, message).help("write `uniform`, or start more of them"));
        }
    }
    match args.peek().or(args.taken().last()).filter(|_| along > 0 && count < most) {
        Some(word) => Err(args.error(
            word,
            format_args!("{along} processors along {} have {most} planes between them", axis.text),
        )),
        None => Ok(()),
    }
}
