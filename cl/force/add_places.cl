// Pairs of one atom with others whose places stand in memory (after accumulate.cl), VW of them at a time.

// Adds the pairs of atom i with the first VW of the `number` at `places`; what stands behind these are places, too.
BODY void add_places(Sums *sums, const PLACES_SPACE uint *places, uint number, uint i,
                              __global const staged *position, __global const real *table,
                              BOX_SPACE const Box *box INPUT_ARRAYS) {
    const uintv j = LOADV(places);
    const staged mine = position[i];
    const real ux = box->unit[0], uy = box->unit[1], uz = box->unit[2];
    const real mx = box->unit_rest[0], my = box->unit_rest[1], mz = box->unit_rest[2];
    SHEAR_OF(box)
    LOAD_POSITIONS(OF_MEMORY)
    realv dx = SEPARATION(mine.x, x, ux, mx), dy = SEPARATION(mine.y, y, uy, my);
    const realv dz = SEPARATION(mine.z, z, uz, mz);
    SHEAR(realv, dx, dy, dz)
    OWN_INPUTS_PASSED(i)
    const minev my_type = (minev)(staged_type(mine));
    const uintv their_types = convert_uintv(w);
    add_pairs(sums, dx, dy, dz, numbers_of_pairs(my_type, their_types, table), my_type, their_types, table,
              convert_maskv((uintv)(FROM_0) < (uintv)(number)) INPUT_OF_LIST);
}
