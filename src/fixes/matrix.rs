//! Matrices of leaning boxes, upper triangular: rows x y z, columns the edges a b c.

/// Rows of three.
pub(super) type Matrix = [[f64; 3]; 3];

/// The edges of a box as columns.
pub(super) fn matrix([lx, ly, lz]: [f64; 3], [xy, xz, yz]: [f64; 3]) -> Matrix {
    [[lx, xy, xz], [0.0, ly, yz], [0.0, 0.0, lz]]
}

/// The inverse of [`matrix`].
pub(super) fn inverse([lx, ly, lz]: [f64; 3], [xy, xz, yz]: [f64; 3]) -> Matrix {
    let corner = (yz * xy - ly * xz) / (lx * ly * lz);
    [[1.0 / lx, -xy / (lx * ly), corner], [0.0, 1.0 / ly, -yz / (ly * lz)], [0.0, 0.0, 1.0 / lz]]
}

/// Rows and columns exchanged.
pub(super) fn transposed(m: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| m[j][i]))
}

/// a times b.
pub(super) fn product(a: Matrix, b: Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}
