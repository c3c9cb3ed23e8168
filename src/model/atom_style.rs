//! Atom styles: what atoms have besides position, velocity and type, and so the columns of section Atoms of a data file.

/// What stands in section Atoms of a data file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Column {
    /// The atom's ID.
    Id,
    /// The ID of its molecule.
    Molecule,
    /// Its type.
    Type,
    /// Its charge.
    Charge,
    /// The diameter and the density of a sphere: two words.
    Sphere,
    /// Its position: three words.
    Position,
}

impl Column {
    /// As messages show it.
    fn words(self) -> &'static str {
        match self {
            Column::Id => "id",
            Column::Molecule => "molecule",
            Column::Type => "type",
            Column::Charge => "q",
            Column::Sphere => "diameter density",
            Column::Position => "x y z",
        }
    }

    /// The simplest style that has it beside what all have.
    fn style(self) -> &'static str {
        match self {
            Column::Molecule => "bond",
            Column::Charge => "charge",
            Column::Sphere => "sphere",
            _ => "atomic",
        }
    }
}

/// What atoms have besides position, velocity and type, as `atom_style` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomStyle {
    /// As in `atom_style`: one of [`ATOM_STYLES`], or `hybrid`.
    pub name: &'static str,
    /// Whether atoms belong to molecules and may have bonds.
    pub molecular: bool,
    /// Whether atoms have charges.
    pub charged: bool,
    /// Whether atoms are spheres, with a radius and a mass of their own.
    pub round: bool,
    /// Whether some part of a hybrid style has no masses of its own.
    by_type: bool,
    /// Of a hybrid style what stands behind the position, in this order.
    behind: [Option<Column>; 3],
}

/// The name of a style that has what several others have.
pub const HYBRID: &str = "hybrid";

/// Every atom style but `hybrid`. Those with angles and more are the same here as long as there are none.
pub const ATOM_STYLES: [AtomStyle; 7] = [
    AtomStyle::new("atomic", false, false),
    AtomStyle::new("angle", true, false),
    AtomStyle::new("bond", true, false),
    AtomStyle::new("charge", false, true),
    AtomStyle::new("full", true, true),
    AtomStyle::new("molecular", true, false),
    AtomStyle { round: true, ..AtomStyle::new("sphere", false, false) },
];

impl AtomStyle {
    const fn new(name: &'static str, molecular: bool, charged: bool) -> Self {
        AtomStyle { name, molecular, charged, round: false, by_type: false, behind: [None; 3] }
    }

    /// `atomic`.
    pub const ATOMIC: AtomStyle = ATOM_STYLES[0];

    /// Whether it has spheres and styles whose types have masses, so that these masses may be given and count for nothing.
    pub fn has_both_masses(self) -> bool {
        self.round && self.by_type
    }

    /// The style of a name that is not `hybrid`.
    pub fn named(name: &str) -> Option<Self> {
        ATOM_STYLES.into_iter().find(|style| style.name == name)
    }

    /// `hybrid` of these: what they have stands behind the position in their order, and what several have stands there once.
    pub fn hybrid(parts: &[AtomStyle]) -> Self {
        let mut all = AtomStyle::new(HYBRID, false, false);
        for part in parts {
            let new = [
                (part.molecular && !all.molecular, Column::Molecule),
                (part.charged && !all.charged, Column::Charge),
                (part.round && !all.round, Column::Sphere),
            ];
            for (_, column) in new.into_iter().filter(|(new, _)| *new) {
                if let Some(free) = all.behind.iter_mut().find(|place| place.is_none()) {
                    *free = Some(column);
                }
            }
            all.molecular |= part.molecular;
            all.charged |= part.charged;
            all.round |= part.round;
            all.by_type |= !part.round;
        }
        all
    }

    /// Words of `atom_style` that make it again: of a hybrid style `hybrid` and the simplest styles that have its columns.
    pub fn words(self) -> String {
        let parts = self.behind.into_iter().flatten().map(Column::style);
        let atomic = self.by_type && !self.molecular && !self.charged;
        [self.name]
            .into_iter()
            .chain(parts)
            .chain(atomic.then_some(ATOM_STYLES[0].name))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The inverse of [`AtomStyle::words`].
    pub fn of_words(words: &str) -> Option<Self> {
        match words.strip_prefix(HYBRID) {
            Some(parts) => {
                let parts: Option<Vec<_>> = parts.split_whitespace().map(AtomStyle::named).collect();
                parts.map(|parts| AtomStyle::hybrid(&parts))
            }
            None => AtomStyle::named(words),
        }
    }

    /// The columns of section Atoms, without the image counts at their end.
    pub fn columns(self) -> Vec<Column> {
        use Column::{Charge, Id, Molecule, Position, Sphere, Type};
        if self.name == HYBRID {
            return [Id, Type, Position].into_iter().chain(self.behind.into_iter().flatten()).collect();
        }
        let all = [
            (true, Id),
            (self.molecular, Molecule),
            (true, Type),
            (self.charged, Charge),
            (self.round, Sphere),
            (true, Position),
        ];
        all.into_iter().filter(|(has, _)| *has).map(|(_, column)| column).collect()
    }

    /// The columns of section Atoms, as messages show them.
    pub fn heading(self) -> String {
        let words: Vec<&str> = self.columns().into_iter().map(Column::words).collect();
        words.join(" ") + " [ix iy iz]"
    }

    /// Whether a row of section Atoms may have so many words.
    pub fn has_words(self, count: usize) -> bool {
        let columns: usize = self.columns().into_iter().map(|column| column.words().split(' ').count()).sum();
        count == columns || count == columns + 3
    }
}
