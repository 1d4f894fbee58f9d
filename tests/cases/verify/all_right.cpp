// command: verify FILE --profile halide-to-hardware --threads 1
// Vectors of any number of lanes.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Add *op, ExprInfo *bounds) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::add(a, b), op->type);
    const int lanes = op->type.lanes();
    if (rewrite(ramp(x, y) + ramp(z, w), ramp(x + z, y + w, lanes)) ||
        rewrite(ramp(x, y) + broadcast(z), ramp(x + z, y, lanes)) ||
        (no_overflow_int(op->type) && rewrite((x / y) * y + x % y, x))) {
        return std::move(rewrite.result);
    }
    return op;
}
// exit: 0
// 1 of 3 rules lead downwards in one order, 0 pairs undo one another
// rules of Simplify::visit(Add *): 3 verified
// at 8 bits: 2 verified, 1 unreached
// at 16 bits: 2 verified, 1 unreached
// at 32 bits: 3 verified
// 3 rules: 3 verified
// Simplify::visit(const Add *): verified
// 1 mutators: 1 verified
// proved: 3 rules keep the value, and the mutator keeps value and type, over the reals
