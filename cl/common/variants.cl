// Eleven rules of writing kernels (docs/principles.md), as far as they show in these files. The kernels follow them
// and use the words below; with NO_... of src/engine/kernels/variants.rs a word does without its rule, which `-kernels plain` does
// with all of them, and `clamps bench principles` with one at a time, to measure what it is worth.

// 1. Short loops of known length are unrolled.
#ifdef NO_UNROLLING
#define SHORT_LOOP _Pragma("unroll 1")
#else
#define SHORT_LOOP _Pragma("unroll")
#endif

// 2. Constants come by #define. Without: as numbers in memory that a kernel argument points at; src/engine/step.rs and
// src/engine/neighbor/list.rs do it.

// 3. What no other work-item wants is private. PARK moves a variable to local memory and back.
#ifdef NO_PRIVATE
#define PARKING(type, name, size) __local volatile type name[size];
#define PARK(name, variable) name[get_local_id(0)] = variable, variable = name[get_local_id(0)];
#else
#define PARKING(type, name, size)
#define PARK(name, variable)
#endif

// 4. No remainders: masks for powers of two, else what the quotient leaves.
#ifdef NO_REMAINDERS
#define MODULO(a, power_of_two) ((a) % (power_of_two))
#define LEFT_BY(a, quotient, n) ((a) % (n))
#else
#define MODULO(a, power_of_two) ((a) & ((power_of_two) - 1))
#define LEFT_BY(a, quotient, n) ((a) - (quotient) * (n))
#endif

// 5. Functions are inline.
#ifdef NO_INLINING
#undef inline // some compilers have it as a macro
#define inline __attribute__((noinline))
#endif
// Those that get a pointer to local memory always are, and the few that compilers leave calls. PoCL 3.1 mixes arrays up, else, where its
// compiler puts an array's address into a function, as that is the same at all calls. (Oclgrind
// knows no such function with a `restrict` pointer.)
#ifdef NO_INLINING
#define ALWAYS_INLINE static inline
#else
#define ALWAYS_INLINE __attribute__((always_inline)) static inline
#endif

// 6. Built-in functions: select for assignments under a condition, fma (FMA in common.cl), native_.
#ifdef NO_SELECTS
#define CHOOSE(condition, variable, value) { if (condition) variable = value; }
#define ZERO_BEYOND(f, rsq, cutsq) { \
        real f_[VW], rsq_[VW], cutsq_[VW]; \
        STOREV(f, f_); \
        STOREV(rsq, rsq_); \
        STOREV((realv)(cutsq), cutsq_); \
        for (uint k_ = 0; k_ < VW; k_++) \
            if (!(rsq_[k_] < cutsq_[k_])) f_[k_] = 0; \
        f = LOADV(f_); \
    }
#else
#define CHOOSE(condition, variable, value) { variable = (condition) ? (value) : variable; }
#define ZERO_BEYOND(f, rsq, cutsq) { f = (rsq) < (cutsq) ? (f) : (realv)(0); }
#endif
#ifdef USE_NATIVE
#define RECIPROCAL(x) native_recip(x)
#else
#define RECIPROCAL(x) (1 / (x))
#endif

// 7. Arithmetic instead of branches.
#ifdef NO_PREDICATION
#define BRANCHES 1
#else
#define BRANCHES 0
#endif
// On GPUs the pair kernel does better with one (SKIP).
#if BRANCHES || SKIP
#define RETURN_UNLESS(near) { if (!ANY(near)) return; }
#else
#define RETURN_UNLESS(near)
#endif

// 8. Neighbouring work-items use neighbouring banks of local memory. Without: elements of 16 bytes that follow each
// other are a multiple of 128 bytes apart.
#ifdef NO_BANKS
#define APART(n) (((n) + 255) / 256 * 8)
#define BANKED(k, n) ((k) % 32 * APART(n) + (k) / 32)
#define BANKED_ROOM(n) (32 * APART(n))
#else
#define BANKED(k, n) (k)
#define BANKED_ROOM(n) (n)
#endif

// 9. Vectors: VW of src/engine/kernels/launch_config.rs, and one access for four words that lie on a multiple of 16 bytes. (vload4 asks
// for 4 bytes only, and NVIDIA's compiler makes four accesses of it.)
#ifdef NO_VECTORS
#define LOAD4(p) (uint4)((p)[0], (p)[1], (p)[2], (p)[3])
#define STORE4(v, p) (p)[0] = (v).x, (p)[1] = (v).y, (p)[2] = (v).z, (p)[3] = (v).w
#else
#define LOAD4(p) (*(__global const uint4 *)(p))
#define STORE4(v, p) *(__global uint4 *)(p) = (v)
#endif

// 10. What is used several times is computed once: NO_TEMPORARIES stands where it is.

// 11. No barrier without need. All work-items of a group come to each of these.
#ifdef NO_BARRIERS
#define NEEDLESS_BARRIER barrier(CLK_LOCAL_MEM_FENCE);
#else
#define NEEDLESS_BARRIER
#endif
