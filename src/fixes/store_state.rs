//! `fix ID GROUP store/state N VALUES ... [com yes|no]`: values of each atom as they were when it was defined, or are every N steps.
//! Source: LAMMPS manual, `fix store/state`.

use super::average::need_tally;
use crate::base::error::{Error, Result};
use crate::base::names::is_custom;
use crate::base::steps::next_multiple;
use crate::model::atoms::ById;
use crate::script::Args;
use crate::session::Session;
use crate::session::compute::{PerAtom, Shape, Values};
use crate::session::fix::{Fix, FixContext, FixMemory, FixOutput, Header, HostFix};
use crate::session::snapshot::view::Snapshot;
use crate::session::snapshot::{Form, Input};
use std::cell::{Cell, RefCell};

/// What of atoms can be asked for.
const NAMES: &str = "id mol type mass x y z xs ys zs xu yu zu xsu ysu zsu ix iy iz vx vy vz fx fy fz q";

/// What LAMMPS has besides.
const OTHERS: &str = "mux muy muz mu radius diameter omegax omegay omegaz angmomx angmomy angmomz shapex shapey shapez quatw quati \
    quatj quatk quati tqx tqy tqz";

enum Value {
    Property(String),
    Input(Input),
}

struct StoreState {
    header: Header,
    /// Steps between; 0: only once.
    every: u64,
    values: Vec<Value>,
    /// Whether `xu`, `yu`, `zu` are from the group's centre of mass.
    from_centre: bool,
    /// A row of values per atom.
    rows: RefCell<ById<Vec<f64>>>,
    /// Whether computes, fixes and variables are still to be asked for the first time.
    waits: Cell<bool>,
    tally: Cell<bool>,
}

/// Takes how often, the values, and `com`.
pub(crate) fn new(header: Header, session: &Session, args: &mut Args<'_>) -> Result<Box<dyn Fix>> {
    let every = args.count("steps between, or 0", 0)?;
    let mut values = Vec::new();
    while args.peek().is_some_and(|word| values.is_empty() || word.text != "com") {
        let word = args.word("a value per atom")?;
        if let Some(inputs) = Input::read(session, args, word, Form::PerAtom)? {
            values.extend(inputs.into_iter().map(Value::Input));
            continue;
        }
        if OTHERS.split_whitespace().any(|name| name == word.text) {
            return Err(args.unsupported(word, "property"));
        }
        if !is_custom(&word.text) && !NAMES.split_whitespace().any(|name| name == word.text) {
            return Err(args.unknown(word, "value per atom", NAMES.split_whitespace()));
        }
        session.check_property(&word.text).map_err(|error| args.place(word, error))?;
        values.push(Value::Property(word.text.clone()));
    }
    if values.is_empty() {
        args.word("a value per atom")?;
    }
    let mut from_centre = false;
    while !args.is_empty() {
        args.one_of("keyword of fix store/state", &[("com", ())])?;
        from_centre = args.yes_no()?;
    }
    let waits = Cell::new(values.iter().any(|value| matches!(value, Value::Input(_))));
    let fix = StoreState {
        header,
        every,
        values,
        from_centre,
        rows: RefCell::default(),
        waits,
        tally: Cell::new(false),
    };
    fix.store(&session.now(), true, false)?;
    Ok(Box::new(fix))
}

impl StoreState {
    /// Takes the values of the group's atoms: of properties, of all else, or of both.
    fn store(&self, system: &Snapshot<'_>, properties: bool, others: bool) -> Result<()> {
        let tags = &system.atoms()?.tag;
        let members = system.indices(self.header.group, None)?;
        let centre = match self.from_centre && properties {
            true => system.of_group(self.header.group, None).centre()?,
            false => [0.0; 3],
        };
        let column = |value: &Value| match value {
            Value::Property(name) if properties => {
                // There are no forces before the first run.
                let mut column = match system.property(name) {
                    Err(_) if name.starts_with('f') => vec![0.0; tags.len()],
                    column => column?,
                };
                if let Some(axis) = ["xu", "yu", "zu"].iter().position(|unwrapped| unwrapped == name) {
                    column.iter_mut().for_each(|x| *x -= centre[axis]);
                }
                Ok(Some(column))
            }
            Value::Input(input) if others => input.per_atom(system).map(Some),
            _ => Ok(None),
        };
        let columns = self.values.iter().map(column).collect::<Result<Vec<_>>>()?;
        let mut rows = self.rows.borrow_mut();
        let row = |i: usize| {
            let old = rows.get(tags[i]).cloned().unwrap_or_else(|| vec![0.0; columns.len()]);
            let new =
                columns.iter().zip(old).map(|(column, old)| column.as_ref().map_or(old, |column| column[i]));
            (tags[i], new.collect::<Vec<_>>())
        };
        let new: Vec<_> = members.into_iter().map(row).collect();
        *rows = new.into_iter().collect();
        Ok(())
    }
}

impl Fix for StoreState {
    fn header(&self) -> &Header {
        &self.header
    }

    fn host(&self) -> Option<&dyn HostFix> {
        Some(self)
    }

    fn output(&self) -> Option<&dyn FixOutput> {
        Some(self)
    }

    fn kept(&self) -> Option<&dyn FixMemory> {
        Some(self)
    }

    fn kept_mut(&mut self) -> Option<&mut dyn FixMemory> {
        Some(self)
    }
}

impl HostFix for StoreState {
    fn begin_run(&self, context: &mut FixContext<'_>) -> Result<()> {
        let inputs = self.values.iter().filter_map(|value| match value {
            Value::Input(input) => Some(input),
            Value::Property(_) => None,
        });
        self.tally.set(need_tally(context.session, inputs));
        Ok(())
    }

    fn setup(&self, context: &mut FixContext<'_>) -> Result<()> {
        if self.waits.replace(false) { self.store(&context.system(), false, true) } else { Ok(()) }
    }

    fn next(&self, step: i64) -> Option<i64> {
        (self.every > 0).then(|| next_multiple(step, self.every))
    }

    fn needs_tally(&self) -> bool {
        self.tally.get()
    }

    fn end_of_step(&self, context: &mut FixContext<'_>) -> Result<()> {
        self.store(&context.system(), true, true)
    }
}

impl FixOutput for StoreState {
    fn shape(&self) -> Option<Shape> {
        Some(Shape::per_atom(self.values.len()))
    }

    /// 0 for atoms that are not in the group.
    fn values(&self, system: &Snapshot<'_>) -> Result<Values> {
        let (tags, rows) = (&system.atoms()?.tag, self.rows.borrow());
        Ok(Values::per_atom(PerAtom::from_rows(tags, &rows, self.values.len())))
    }
}

impl FixMemory for StoreState {
    /// Whether the first values are still to come, then an ID and its values, one after another.
    fn restart_state(&self) -> Option<Vec<f64>> {
        let rows = self.rows.borrow();
        let numbers =
            rows.iter().flat_map(|(tag, row)| std::iter::once(f64::from(tag)).chain(row.iter().copied()));
        Some(std::iter::once(f64::from(u8::from(self.waits.get()))).chain(numbers).collect())
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let width = self.values.len() + 1;
        match numbers.split_first() {
            Some((waits, rest)) if rest.len().is_multiple_of(width) => {
                self.waits.set(*waits != 0.0);
                self.rows = RefCell::new(
                    rest.chunks_exact(width).map(|row| (row[0] as u32, row[1..].to_vec())).collect(),
                );
                Ok(())
            }
            _ => Err(Error::new("the restart file holds other values of this fix")),
        }
    }

    fn ids_changed(&mut self, ids: &[(u32, u32)]) {
        let rows = self.rows.get_mut();
        *rows = rows.renumbered(ids);
    }
}
