// A whole step, and the first half of the next one: forces from the staged positions, the rest of the kicks, the
// drift into the other buffer of staged positions. `step` is the step whose forces these are; a reason to
// rebuild is one of the step after it.
#define PAIR_KERNEL fused_step
#define OUTPUT_ARGUMENTS WHOLE_STEP_ARGUMENTS
#define OUTPUT_NAMES WHOLE_STEP_NAMES
//= piece output
#ifdef TOTALS
        vstore3(total, i, force);
#else
#if AHEAD == 2
        Atom a = own;
        a.f = total;
#else
        Atom a = LOAD_ATOM(i, total);
#endif
        const Here now = HERE(row, step), then = HERE_IN_BOX(next_row, step + 1, BOX_THEN);
        MOVE_ON(a, i, now, then)
#if AHEAD == 2
        own = a;
#endif
#endif
//= end
