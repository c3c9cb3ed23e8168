// The kernel leaves forces in memory, and with TALLY energies and virials.
#define OUTPUT_ARGUMENTS \
    __global real *restrict force, __global real *restrict tally COULOMB_ARGUMENT, \
    STATUS_ACCESS uint *restrict status, uint step
#define OUTPUT_NAMES force, tally COULOMB_NAME, status, step
#if TALLY
#define PAIR_KERNEL pair_force_tally
#else
#define PAIR_KERNEL pair_force
#endif
//= piece output
        vstore3(total, i, force);
#if TALLY
        vstore8(tallies, i, tally);
#ifdef CHARGES
        coulomb[i] = coulombs.x;
#endif
#endif
//= end
