// Walls with a potential that is an expression of the distance (src/script/lepton.rs): the steps of a stack machine.
//   c[0] number of steps, for each of them: what it does, and a number

// What steps do, in the order of `Code` there.
enum {
    DO_NUMBER, DO_R, DO_LOAD, DO_STORE, DO_NEGATE, DO_ADD, DO_SUBTRACT, DO_MULTIPLY, DO_DIVIDE, DO_POWER, DO_MIN, DO_MAX,
    DO_SQRT, DO_EXP, DO_LOG, DO_SIN, DO_COS, DO_SEC, DO_CSC, DO_TAN, DO_COT, DO_ASIN, DO_ACOS, DO_ATAN, DO_SINH, DO_COSH,
    DO_TANH, DO_ERF, DO_ERFC, DO_ABS, DO_DELTA, DO_STEP
};
#define DEPTH 16

// A number, and its slope in r.
typedef accum2 Sloped;

static inline Sloped of_two(int what, Sloped a, Sloped b) {
    switch (what) {
    case DO_ADD: return a + b;
    case DO_SUBTRACT: return a - b;
    case DO_MULTIPLY: return (Sloped)(a.x * b.x, a.y * b.x + a.x * b.y);
    case DO_DIVIDE: return (Sloped)(a.x / b.x, (a.y - a.x / b.x * b.y) / b.x);
    case DO_MIN: return a.x < b.x ? a : b;
    case DO_MAX: return a.x >= b.x ? a : b;
    }
    const accum power = pow(a.x, b.x);
    // The logarithm of a negative number only where the exponent changes.
    if (b.y == 0) return (Sloped)(power, b.x == 0 ? 0 : b.x * pow(a.x, b.x - 1) * a.y);
    return (Sloped)(power, power * (b.y * log(a.x) + b.x * a.y / a.x));
}

static inline Sloped of_one(int what, Sloped a) {
    const accum x = a.x, two_over_root_pi = (accum)1.1283791670955126;
    accum value = x, slope = 0;
    switch (what) {
    case DO_NEGATE: value = -x; slope = -1; break;
    case DO_SQRT: value = sqrt(x); slope = 1 / (2 * value); break;
    case DO_EXP: value = exp(x); slope = value; break;
    case DO_LOG: value = log(x); slope = 1 / x; break;
    case DO_SIN: value = sin(x); slope = cos(x); break;
    case DO_COS: value = cos(x); slope = -sin(x); break;
    case DO_SEC: value = 1 / cos(x); slope = tan(x) * value; break;
    case DO_CSC: value = 1 / sin(x); slope = -value / tan(x); break;
    case DO_TAN: value = tan(x); slope = 1 + value * value; break;
    case DO_COT: value = 1 / tan(x); slope = -1 - value * value; break;
    case DO_ASIN: value = asin(x); slope = 1 / sqrt(1 - x * x); break;
    case DO_ACOS: value = acos(x); slope = -1 / sqrt(1 - x * x); break;
    case DO_ATAN: value = atan(x); slope = 1 / (1 + x * x); break;
    case DO_SINH: value = sinh(x); slope = cosh(x); break;
    case DO_COSH: value = cosh(x); slope = sinh(x); break;
    case DO_TANH: value = tanh(x); slope = 1 - value * value; break;
    case DO_ERF: value = erf(x); slope = two_over_root_pi * exp(-x * x); break;
    case DO_ERFC: value = erfc(x); slope = -two_over_root_pi * exp(-x * x); break;
    case DO_ABS: value = fabs(x); slope = x < 0 ? -1 : 1; break;
    case DO_DELTA: value = x == 0; break;
    case DO_STEP: value = x >= 0; break;
    }
    return (Sloped)(value, slope * a.y);
}

static inline accum lepton_at(accum r, __global const accum *c, accum *energy) {
    Sloped stack[DEPTH + 1], slots[DEPTH]; // the top of the stack is known to lie in it
    int top = 0;
    stack[0] = 0;
    const int steps = (int)c[0];
    for (int k = 0; k < steps; k++) {
        const int what = (int)c[1 + 2 * k];
        const accum number = c[2 + 2 * k];
        if (what == DO_NUMBER) {
            stack[top++] = (Sloped)(number, 0);
        } else if (what == DO_R) {
            stack[top++] = (Sloped)(r, 1);
        } else if (what == DO_LOAD) {
            stack[top++] = slots[(int)number];
        } else if (what == DO_STORE) {
            slots[(int)number] = stack[--top];
        } else if (what >= DO_ADD && what <= DO_MAX) {
            top--;
            stack[top - 1] = of_two(what, stack[top - 1], stack[top]);
        } else {
            stack[top - 1] = of_one(what, stack[top - 1]);
        }
    }
    *energy = stack[0].x;
    return -stack[0].y;
}

WALL(wall_lepton, lepton_at)
