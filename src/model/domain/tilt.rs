//! Boxes that lean: straightened, flipped, and how far they reach.

use super::Domain;

impl Domain {
    /// Whether it leans by more than half an edge, where one that leans less has the same images.
    pub fn skewed(&self) -> bool {
        let ([_, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        (xy / ly).abs() > 0.5 && self.periodic(1) || (xz.abs() + yz.abs()) / lz > 0.5 && self.periodic(2)
    }

    /// By how much x follows y, x follows z and y follows z: the tilts per edge.
    pub fn slopes(&self) -> [f64; 3] {
        let ([_, ly, lz], [xy, xz, yz]) = (self.lengths(), self.tilt);
        [xy / ly, xz / lz, yz / lz]
    }

    /// Where a position of this box is in the orthogonal box of the same corners: its fractions of the edges times their
    /// lengths, plus the lower corner. Itself in an orthogonal box.
    pub fn straighten(&self, x: [f64; 3]) -> [f64; 3] {
        if !self.triclinic {
            return x;
        }
        let [xy, xz, yz] = self.slopes();
        let dz = x[2] - self.lo[2];
        let y = x[1] - yz * dz;
        [x[0] - xy * (y - self.lo[1]) - xz * dz, y, x[2]]
    }

    /// The inverse of [`Domain::straighten`].
    pub fn lean(&self, s: [f64; 3]) -> [f64; 3] {
        if !self.triclinic {
            return s;
        }
        let [xy, xz, yz] = self.slopes();
        let [dy, dz] = [s[1] - self.lo[1], s[2] - self.lo[2]];
        [s[0] + xy * dy + xz * dz, s[1] + yz * dz, s[2]]
    }

    /// By how many edges the tilts xy, xz (edges a) and yz (edges b) change, so that the images stay: b' = b + m a,
    /// c' = c + p b + n a.
    pub fn flip(&mut self, [m, n, p]: [i32; 3]) {
        let ([lx, ly, _], [xy, xz, yz]) = (self.lengths(), self.tilt);
        let [m, n, p] = [m, n, p].map(f64::from);
        self.tilt = [xy + m * lx, xz + p * xy + n * lx, yz + p * ly];
    }

    /// By how many edges a box that leans by more than a part of an edge is to be flipped: xy by a, xz by a, yz by b.
    pub fn flips(&self, beyond: f64) -> [i32; 3] {
        let ([lx, ly, _], [xy, mut xz, yz]) = (self.lengths(), self.tilt);
        let back = |part: f64, periodic: bool| match part {
            _ if !periodic => 0,
            part if part < -beyond => 1,
            part if part > beyond => -1,
            _ => 0,
        };
        let of_yz = back(yz / ly, self.periodic(1));
        // An edge c that is moved by b takes its tilt along.
        xz += f64::from(of_yz) * xy;
        [back(xy / lx, self.periodic(0)), back(xz / lx, self.periodic(0)), of_yz]
    }

    /// How much longer than a distance its image in the straightened box may be along each axis: the edges over the widths
    /// of the box across its faces. 1 in an orthogonal box.
    pub fn stretch(&self) -> [f64; 3] {
        stretch(self.slopes())
    }

    /// Lower and upper corner of the orthogonal block around the box, added up in the order of LAMMPS, as dumps show all digits.
    pub fn bounds(&self) -> [[f64; 3]; 2] {
        let ([xy, xz, yz], mut lo, mut hi) = (self.tilt, self.lo, self.hi);
        for (d, tilt) in [(0, xy), (0, xz), (1, yz)] {
            (lo[d], hi[d]) = (lo[d].min(lo[d] + tilt), hi[d].max(hi[d] + tilt));
        }
        [lo, hi]
    }
}

/// How far a box of the tilts xy xz yz reaches beyond its lower and upper corner.
pub(crate) fn beyond([xy, xz, yz]: [f64; 3]) -> [[f64; 3]; 2] {
    let along_x = [xy, xz, xy + xz];
    [
        [along_x.into_iter().fold(0.0, f64::min), yz.min(0.0), 0.0],
        [along_x.into_iter().fold(0.0, f64::max), yz.max(0.0), 0.0],
    ]
}

/// By how much [`Domain::stretch`] is for the tilts per edge xy xz yz: the lengths of the rows of the inverse of
/// ((1 xy xz) (0 1 yz) (0 0 1)).
pub fn stretch([xy, xz, yz]: [f64; 3]) -> [f64; 3] {
    [(1.0 + xy * xy + (xy * yz - xz).powi(2)).sqrt(), (1.0 + yz * yz).sqrt(), 1.0]
}
