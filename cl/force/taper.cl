// What takes potentials to zero (before the files of pair styles): f = (1 - x)^3 (1 + 3 x + 6 x^2) with x = (r - inner) / width, 1 below inner.

// Makes F / r and E of f E from those of E.
static inline realv tapered(const realv r, const realv force, const realv inner, const realv inverse_width, realv *energy) {
    const realv x = fmax((r - inner) * inverse_width, (realv)(0)), y = 1 - x;
    const realv f = y * y * y * FMA(x, FMA(x, (realv)(6), (realv)(3)), (realv)(1));
    const realv slope = 30 * x * x * y * y * inverse_width;
    const realv whole = *energy;
    *energy = whole * f;
    return FMA(force, f, whole * slope / r);
}
