// A step up to where a fix has to know of all atoms (cl/step/coupling.cl): the forces of `step` as the fixes change them, the
// rest of the kicks, and what each atom adds to the fix's sums.
#ifdef STEPS // several whole ones
#define PAIR_KERNEL coupled_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#define OUTPUT_NAMES WHOLE_STEP_NAMES
#else
#define PAIR_KERNEL force_and_kick
#define OUTPUT_ARGUMENTS \
    ATOM_ARGUMENTS, __global real *restrict force, __global accum *restrict measured, \
    STATUS_ACCESS uint *restrict status, uint step
#define OUTPUT_NAMES ATOM_NAMES, force, measured, status, step
#endif
//= piece output
        Atom a = LOAD_ATOM(i, total);
        const Here now = HERE(row, step);
        FORCE_STAGES(&a, &now)
        FINAL_STAGES(&a, &now)
        vstore3(a.v, i, v);
        vstore3(a.f, i, force);
#if defined(STEPS) && CLUSTER == 1
        accum measures[FEEDBACK_SUMS];
        MEASURE_ATOM(&a, &now, VIRIAL_OF(tallies), measures)
        for (uint k = 0; k < FEEDBACK_SUMS; k++) added[k * GROUP_ATOMS + get_local_id(0) / LANES] = measures[k];
#else
        STORE_MEASURED(&a, &now, VIRIAL_OF(tallies), i, measured, stride)
#endif
//= end
