// Walls with a potential from a table.
//   c[0] the first distance, c[1] 1 / the step from one to the next, c[2] number of distances, c[3] where they begin in the
//   memory: for each of them the energy, its second derivative times step^2 / 6, and the same of the force; without
//   derivatives values in between are on straight lines
static inline accum table_at(accum r, __global const accum *c, __global const accum *memory, accum *energy) {
    const accum place = (r - c[0]) * c[1];
    const int bin = clamp((int)place, 0, (int)c[2] - 2);
    const accum b = place - bin, a = 1 - b, a3 = a * (a * a - 1), b3 = b * (b * b - 1);
    __global const accum *here = memory + (int)c[3] + 4 * bin, *next = here + 4;
    *energy = a * here[0] + b * next[0] + a3 * here[1] + b3 * next[1];
    return a * here[2] + b * next[2] + a3 * here[3] + b3 * next[3];
}

#define TABLE_AT(r, c, energy) table_at(r, c, h->memory, energy)
WALL(wall_table, TABLE_AT)
