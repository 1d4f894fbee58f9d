// command: verify FILE --profile halide-to-hardware --threads 1 --mutator Sub
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
        return mutate(std::move(rewrite.result), bounds);
    }
    return op;
}
// exit: 2
// error[HAL1104]: the files have no rule and no mutator with `Sub` in its file and name
//  = hint: `--list` names the mutators
//
