// command: verify FILE --profile halide-to-hardware --threads 1
// The right sides are simplified once more: that this ends is not shown.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Add *op, ExprInfo *bounds) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::add(a, b), op->type);
    const int lanes = op->type.lanes();
    if (rewrite(ramp(x, y) + ramp(z, w), ramp(x + z, y + w, lanes)) ||
        rewrite(ramp(x, y) + broadcast(z), ramp(x + z, y, lanes)) ||
        (no_overflow_int(op->type) && rewrite((x / y) * y + x % y, x))) {
        return mutate(std::move(rewrite.result), bounds);
    }
    return op;
}
// exit: 3
// 1 of 3 rules lead downwards in one order, 0 pairs undo one another
// rules of Simplify::visit(Add *): 3 verified
// at 8 bits: 2 verified, 1 unreached
// at 16 bits: 2 verified, 1 unreached
// at 32 bits: 3 verified
// 3 rules: 3 verified
// Simplify::visit(const Add *): partial
//   mutates_its_result.cpp:13: partial at int32: it may not end: what it mutates here may be as large as its own input
// 1 mutators: 1 partial
// unknown: mutates_its_result.cpp:13: it may not end: what it mutates here may be as large as its own input
