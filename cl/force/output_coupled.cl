// A step up to where a fix has to know of all atoms (cl/step/coupling.cl): the forces of `step` as the fixes change them, the
// rest of the kicks, and what each atom adds to the fix's sums.
#ifdef STEPS // several whole ones
#define PAIR_KERNEL coupled_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#else
#define PAIR_KERNEL force_and_kick
#define OUTPUT_ARGUMENTS \
    ATOM_ARGUMENTS, __global real *restrict force, __global accum *restrict measured, \
    STATUS_ACCESS uint *restrict status, uint step
#endif
#if defined(STEPS) && CLUSTER == 1
#define KEEP_MEASURED(a, h, tally_, i) { \
    accum numbers[FEEDBACK_SUMS]; \
    MEASURE_ATOM(a, h, VIRIAL_OF(tally_), numbers) \
    for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * GROUP_ATOMS + get_local_id(0) / LANES] = numbers[k]; \
}
#else
#define KEEP_MEASURED(a, h, tally_, i) STORE_MEASURED(a, h, VIRIAL_OF(tally_), i, measured, stride)
#endif
#define OUTPUT(i, force_, tally_) { \
    Atom a = LOAD_ATOM(i, force_); \
    const Here now = HERE(row, step); \
    FORCE_STAGES(&a, &now) \
    FINAL_STAGES(&a, &now) \
    vstore3(a.v, i, v); \
    vstore3(a.f, i, force); \
    KEEP_MEASURED(&a, &now, tally_, i) \
}
