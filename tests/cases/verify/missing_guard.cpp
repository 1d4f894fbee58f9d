// command: verify FILE --profile halide --threads 1 --bits 8,32
// Without a guard against overflow the rule holds at 32 bits signed alone.
#include "Simplify_Internal.h"

Expr Simplify::visit(const LT *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    Type ty = a.type();
    auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type, ty);
    if ((no_overflow(ty) && rewrite(x + c0 < y + c0, x < y)) ||
        rewrite(x + y < x + z, y < z)) {
        return mutate(rewrite.result, info);
    }
    return op;
}
// exit: 1
// 2 of 2 rules lead downwards in one order, 0 pairs undo one another
// missing_guard.cpp:11: wrong at uint8: x=2 y=237 z=254: 0 becomes 1
//     ((x + y) < (x + z)) => (y < z)
// missing_guard.cpp:11: wrong at int8: x=-19 y=-127 z=4: 0 becomes 1
//     ((x + y) < (x + z)) => (y < z)
// missing_guard.cpp:11: wrong at uint32: x=2 y=4294967277 z=4294967294: 0 becomes 1
//     ((x + y) < (x + z)) => (y < z)
// rules of Simplify::visit(LT *): 1 verified, 1 wrong
// at 8 bits: 1 wrong, 1 unreached
// at 16 bits: 2 unreached
// at 32 bits: 1 verified, 1 wrong
// 2 rules: 1 verified, 1 wrong
// Simplify::visit(const LT *): partial
//   missing_guard.cpp:12: partial at bool: it may not end: what it mutates here may be as large as its own input
// 1 mutators: 1 partial
// refuted: expected 0, got 1
