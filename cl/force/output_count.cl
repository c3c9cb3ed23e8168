// The kernel counts pairs by distance (accumulate.cl) and has no forces.
#define PAIR_KERNEL count_pairs
#define OUTPUT_ARGUMENTS STATUS_ACCESS uint *restrict status, uint step
#define OUTPUT_NAMES status, step
//= piece output
//= end
