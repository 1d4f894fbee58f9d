
/* ---- exp, log, sin, cos, tan, atan ----
 *
 * The text of `halidom_ir::math`, which defines these functions, in C: IEEE operations and integers
 * in the same order, so that the results have the same bits. A change is made in both files; the
 * compiler must not contract operations (-ffp-contract=off). */

static const double LN2_HIGH = 0x1.62e42fee00000p-1;
static const double LN2_LOW = 0x1.a39ef35793c76p-33;
static const double LN2 = 0x1.62e42fefa39efp-1;
static const uint64_t ONE_BITS = 0x3ff0000000000000u;
static const double INVERSE_LN2 = 0x1.71547652b82fep+0;
static const double HALF_PI_1 = 0x1.921fb40000000p+0;
static const double HALF_PI_2 = 0x1.4442d00000000p-24;
static const double HALF_PI_3 = 0x1.8469880000000p-48;
static const double HALF_PI_4 = 0x1.8cc51701b839ap-72;
static const double HALF_PI = 0x1.921fb54442d18p+0;
static const double HALF_PI_LOW = 0x1.1a62633145c07p-54;
static const double TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const double QUARTER_PI = 0x1.921fb54442d18p-1;
static const double SQUARE_ROOT_2 = 0x1.6a09e667f3bcdp+0;
static const double TO_INTEGER = 0x1.8p+52;

/* The bits of 2/pi behind the point. */
static const uint32_t two_over_pi_bits[40] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

/* The arc tangents of 0, 1/8, ..., 1. */
static const double arc_tangents[9] = {
    0x0.0p+0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3,
    0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2, 0x1.1e00babdefeb4p-1,
    0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};

static const double log_terms[12] = {
    1.0 / 25.0, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0,
    1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0,  1.0 / 7.0,  1.0 / 5.0,  1.0 / 3.0};
static const double exp_terms[14] = {
    1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0, 1.0 / 362880.0,
    1.0 / 40320.0,      1.0 / 5040.0,      1.0 / 720.0,      1.0 / 120.0,     1.0 / 24.0,
    1.0 / 6.0,          1.0 / 2.0,         1.0,              1.0};
static const double sin_terms[9] = {
    -1.0 / 121645100408832000.0, 1.0 / 355687428096000.0, -1.0 / 1307674368000.0,
    1.0 / 6227020800.0,          -1.0 / 39916800.0,       1.0 / 362880.0,
    -1.0 / 5040.0,               1.0 / 120.0,             -1.0 / 6.0};
static const double cos_terms[8] = {
    -1.0 / 6402373705728000.0, 1.0 / 20922789888000.0, -1.0 / 87178291200.0, 1.0 / 479001600.0,
    -1.0 / 3628800.0,          1.0 / 40320.0,          -1.0 / 720.0,         1.0 / 24.0};
static const double atan_terms[7] = {
    -1.0 / 15.0, 1.0 / 13.0, -1.0 / 11.0, 1.0 / 9.0, -1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0};

static double float_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A polynomial, highest coefficient first. */
static double polynomial(const double *coefficients, int count, double x) {
    double sum = 0.0;
    for (int n = 0; n < count; n++) {
        sum = sum * x + coefficients[n];
    }
    return sum;
}

/* The nearest integer, ties to even, of a number below 2^51. */
static double nearest(double x) {
    return (x + TO_INTEGER) - TO_INTEGER;
}

/* 2^n for -1022 <= n <= 1023. */
static double power_of_two(int64_t n) {
    return float_of((uint64_t)(n + 1023) << 52);
}

WEAK double halidom_exp(double x) {
    if (x != x) {
        return x;
    }
    if (x > 709.79) {
        return __builtin_inf();
    }
    if (x < -745.2) {
        return 0.0;
    }
    double k = nearest(x * INVERSE_LN2);
    double rest = (x - k * LN2_HIGH) - k * LN2_LOW;
    double power = polynomial(exp_terms, 14, rest);
    /* In two steps, as 2^k itself may be beyond the normal numbers. */
    int64_t n = (int64_t)k;
    int64_t half = n / 2;
    return power * power_of_two(half) * power_of_two(n - half);
}

WEAK double halidom_log(double x) {
    if (x != x || x < 0.0) {
        return __builtin_nan("");
    }
    if (x == 0.0) {
        return -__builtin_inf();
    }
    if (x == __builtin_inf()) {
        return x;
    }
    int64_t exponent = -1023;
    uint64_t bits = bits_of(x);
    if (bits >> 52 == 0) {
        /* Subnormal numbers are scaled by 2^54. */
        bits = bits_of(x * 18014398509481984.0);
        exponent -= 54;
    }
    exponent += (int64_t)(bits >> 52);
    double mantissa = float_of((bits & 0x000fffffffffffffu) | 0x3ff0000000000000u);
    if (mantissa > SQUARE_ROOT_2) {
        mantissa *= 0.5;
        exponent += 1;
    }
    double f = mantissa - 1.0;
    double s = f / (2.0 + f);
    double square = s * s;
    double twice = 2.0 * s;
    double e = (double)exponent;
    return e * LN2_HIGH +
           (twice + (twice * (square * polynomial(log_terms, 12, square)) + e * LN2_LOW));
}

/* Angles from 2^28 on, by the bits of 2/pi that matter: those before give multiples of 4. */
static double reduce_large(double x, uint32_t *multiple) {
    uint64_t bits = bits_of(x);
    int exponent = (int)(bits >> 52) - 1075;
    uint64_t mantissa = (bits & 0x000fffffffffffffu) | 0x0010000000000000u;
    int first = exponent > 2 ? exponent - 2 : 0;
    int drop = 2 - (exponent - first);
    /* 192 bits from the first one, least significant word first. */
    int word = first / 32, offset = first % 32;
    uint32_t window[6];
    for (int place = 0; place < 6; place++) {
        uint64_t pair = (uint64_t)two_over_pi_bits[word + place] << 32 |
                        two_over_pi_bits[word + place + 1];
        window[5 - place] = (uint32_t)((pair << offset) >> 32);
    }
    uint32_t product[8] = {0};
    for (int half = 0; half < 2; half++) {
        uint64_t factor = half == 0 ? mantissa & 0xffffffffu : mantissa >> 32;
        uint64_t carry = 0;
        for (int place = 0; place < 6; place++) {
            uint64_t sum = product[place + half] + factor * window[place] + carry;
            product[place + half] = (uint32_t)sum;
            carry = sum >> 32;
        }
        product[6 + half] = (uint32_t)carry;
    }
    uint32_t fixed[6];
    for (int place = 0; place < 6; place++) {
        uint64_t pair = (uint64_t)product[place + 1] << 32 | product[place];
        fixed[place] = (uint32_t)(pair >> drop);
    }
    uint32_t quadrant = fixed[5] >> 30;
    uint64_t top = (uint64_t)fixed[5] << 32 | fixed[4];
    uint64_t next = (uint64_t)fixed[3] << 32 | fixed[2];
    uint64_t high = top << 2 | next >> 62;
    uint64_t low = next << 2 | fixed[1] >> 30;
    double sign = 1.0;
    if (high >> 63 != 0) {
        /* More than a half: the next multiple is nearer. */
        quadrant = (quadrant + 1) & 3;
        low = 0 - low;
        high = ~high + (low == 0);
        sign = -1.0;
    }
    *multiple = quadrant;
    double fraction = (double)high * power_of_two(-64) + (double)low * power_of_two(-128);
    return sign * (fraction * HALF_PI);
}

/* An angle less a multiple of pi/2, at most about pi/4, and that multiple modulo 4. */
static double reduce(double x, uint32_t *multiple) {
    double magnitude = __builtin_fabs(x);
    if (magnitude <= QUARTER_PI) {
        *multiple = 0;
        return x;
    }
    if (magnitude < 268435456.0) {
        double k = nearest(x * TWO_OVER_PI);
        /* Exact products: the first three parts of pi/2 have 24 bits. */
        double rest = ((x - k * HALF_PI_1) - k * HALF_PI_2) - k * HALF_PI_3;
        *multiple = (uint32_t)((int64_t)k & 3);
        return rest - k * HALF_PI_4;
    }
    double rest = reduce_large(magnitude, multiple);
    if (x < 0.0) {
        *multiple = (4 - *multiple) & 3;
        return -rest;
    }
    return rest;
}

static double sin_reduced(double x) {
    double square = x * x;
    return x + x * (square * polynomial(sin_terms, 9, square));
}

static double cos_reduced(double x) {
    double square = x * x;
    return 1.0 - square * (0.5 - square * polynomial(cos_terms, 8, square));
}

static int is_finite(double x) {
    return __builtin_fabs(x) < __builtin_inf();
}

WEAK double halidom_sin(double x) {
    if (!is_finite(x)) {
        return __builtin_nan("");
    }
    uint32_t quadrant;
    double rest = reduce(x, &quadrant);
    double value = (quadrant & 1) == 0 ? sin_reduced(rest) : cos_reduced(rest);
    return (quadrant & 2) == 0 ? value : -value;
}

WEAK double halidom_cos(double x) {
    if (!is_finite(x)) {
        return __builtin_nan("");
    }
    uint32_t quadrant;
    double rest = reduce(x, &quadrant);
    double value = (quadrant & 1) == 0 ? cos_reduced(rest) : sin_reduced(rest);
    return ((quadrant + 1) & 2) == 0 ? value : -value;
}

WEAK double halidom_tan(double x) {
    if (!is_finite(x)) {
        return __builtin_nan("");
    }
    uint32_t quadrant;
    double rest = reduce(x, &quadrant);
    double sine = sin_reduced(rest), cosine = cos_reduced(rest);
    return (quadrant & 1) == 0 ? sine / cosine : -cosine / sine;
}

WEAK double halidom_atan(double x) {
    if (x != x || x == 0.0) {
        return x;
    }
    double magnitude = __builtin_fabs(x);
    int inverts = magnitude > 1.0;
    double t = inverts ? 1.0 / magnitude : magnitude;
    /* atan(t) = atan(c) + atan((t - c) / (1 + tc)) for the nearest c = k/8. */
    double k = nearest(t * 8.0);
    double c = k * 0.125;
    double d = (t - c) / (1.0 + t * c);
    double square = d * d;
    double angle = arc_tangents[(int)k] + (d + d * (square * polynomial(atan_terms, 7, square)));
    if (inverts) {
        angle = (HALF_PI - angle) + HALF_PI_LOW;
    }
    return x < 0.0 ? -angle : angle;
}

/* Of floats: nine terms in doubles, rounded once. Generated code has the same for the lanes of a
 * vector. */
WEAK float halidom_expf(float x) {
    if (x != x) {
        return x;
    }
    if (x > 89.0f) {
        return __builtin_inff();
    }
    if (x < -104.0f) {
        return 0.0f;
    }
    double number = (double)x;
    /* The sum's last bits are the nearest integer, which becomes the exponent of a power of two. */
    double sum = number * INVERSE_LN2 + TO_INTEGER;
    double rest = number - (sum - TO_INTEGER) * LN2;
    double power = float_of((bits_of(sum) << 52) + ONE_BITS);
    return (float)(polynomial(exp_terms + 5, 9, rest) * power);
}

/* Of floats: those of doubles, rounded. */
WEAK float halidom_logf(float x) {
    return (float)halidom_log((double)x);
}
WEAK float halidom_sinf(float x) {
    return (float)halidom_sin((double)x);
}
WEAK float halidom_cosf(float x) {
    return (float)halidom_cos((double)x);
}
WEAK float halidom_tanf(float x) {
    return (float)halidom_tan((double)x);
}
WEAK float halidom_atanf(float x) {
    return (float)halidom_atan((double)x);
}
