//! The angular velocity of a body from its tensor of inertia and its angular momentum.

/// Solves I omega = L; I has `diagonal` xx yy zz and `products` xy yz xz.
pub(crate) fn angular_velocity(diagonal: [f64; 3], products: [f64; 3], momentum: [f64; 3]) -> [f64; 3] {
    let ([xx, yy, zz], [xy, yz, xz]) = (diagonal, products);
    let determinant = xx * yy * zz + xy * yz * xz + xz * xy * yz - xx * yz * yz - xy * xy * zz - xz * yy * xz;
    let trace = xx + yy + zz;
    // Only atoms on one line have a singular tensor: I is then trace / 2 for every axis across it,
    // and L has no component along it.
    if determinant <= 1e-12 * trace.powi(3) {
        return if trace > 0.0 { momentum.map(|l| 2.0 * l / trace) } else { [0.0; 3] };
    }
    let inverse = [
        [yy * zz - yz * yz, -(xy * zz - xz * yz), xy * yz - xz * yy],
        [-(xy * zz - yz * xz), xx * zz - xz * xz, -(xx * yz - xz * xy)],
        [xy * yz - yy * xz, -(xx * yz - xy * xz), xx * yy - xy * xy],
    ];
    inverse.map(|row| {
        let [x, y, z] = row.map(|element| element / determinant);
        x * momentum[0] + y * momentum[1] + z * momentum[2]
    })
}
