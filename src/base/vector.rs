//! Vectors of three components.

/// Three components.
pub type Vector = [f64; 3];

/// a . b.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a x b.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// a - b.
pub fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|d| a[d] - b[d])
}

/// |a|.
pub fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}
