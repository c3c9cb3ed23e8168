// A whole step, and the first half of the next one: forces from the staged positions, the rest of the kicks, the
// drift into the other buffer of staged positions. `step` is the step whose forces these are; a reason to
// rebuild is one of the step after it.
#define PAIR_KERNEL fused_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#ifdef TOTALS
#define OUTPUT(i, force_, tally_) vstore3(force_, i, force);
#else
#define OUTPUT(i, force_, tally_) { \
    ATOM_WITH(force_, i) \
    const Here now = HERE(row, step), then = HERE_IN(next_row, step + 1, BOX_THEN); \
    MOVE_ON(a, i, now, then) \
    KEEP_OWN \
}
#endif
