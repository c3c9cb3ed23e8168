// fix electron/stopping: friction by electrons, for fast atoms.
//   p[0] the least kinetic energy, p[1] how many energies the table has, p[2] 1 where atoms without a force are left out, p[2 + type] half a mass,
//   in energy per velocity squared
//   memory: the energies, then of each type the forces at these
// Adds up the power, and the atoms that are faster than the table knows.
static inline void electron_stopping(Atom *a, const Here *h) {
    const accum square = dot(a->v, a->v), energy = h->p[2 + a->type] * square;
    const uint count = (uint)h->p[1];
    __global const accum *energies = h->memory, *forces = energies + a->type * count;
    if (!(energy >= h->p[0] && energy >= energies[0])) return;
    if (h->p[2] != 0 && a->f.x == 0 && a->f.y == 0 && a->f.z == 0) return;
    uint low = 0, high = count - 1;
    ADD_UP(h, 1, energy > energies[high]);
    while (high - low > 1) {
        const uint middle = (low + high) / 2;
        if (energy < energies[middle]) high = middle;
        else low = middle;
    }
    const accum along = (energy - energies[low]) / (energies[high] - energies[low]);
    const accum force = forces[low] + along * (forces[high] - forces[low]), speed = sqrt(square);
    ADD_UP(h, 0, force * speed);
    a->f -= convert_real3(force / speed * a->v);
}

// fix electron/stopping/fit: the same by a formula for each component, as in LAMMPS.
//   p[4 (type - 1)] and the next: the squared speeds where friction begins and where it is whole, and its coefficients
static inline void electron_stopping_fit(Atom *a, const Here *h) {
    __global const accum *c = h->p + 4 * (a->type - 1);
    const accum square = dot(a->v, a->v);
    if (!(square > c[0])) return;
    const accum part = min((square - c[0]) / (c[1] - c[0]), (accum)1);
    const accum3 force = part * (c[3] * a->v + c[2]) * a->v;
    ADD_UP(h, 0, sqrt(square * dot(force, force)));
    a->f -= convert_real3(force);
}
