// The kernel leaves forces in memory, and with TALLY energies and virials.
#define OUTPUT_ARGUMENTS \
    __global real *restrict force, __global real *restrict tally COULOMB_ARGUMENT, \
    STATUS_ACCESS uint *restrict status, uint step
#if TALLY
#define PAIR_KERNEL pair_force_tally
#define OUTPUT(i, force_, tally_) { \
    vstore3(force_, i, force); \
    vstore8(tally_, i, tally); \
    STORE_COULOMB(i) \
}
#else
#define PAIR_KERNEL pair_force
#define OUTPUT(i, force_, tally_) vstore3(force_, i, force);
#endif
