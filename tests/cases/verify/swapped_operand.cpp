// command: verify FILE --profile halide --threads 1 --verbose
// A rule that keeps the wrong operand is refuted, and its right neighbours are proved.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Sub *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
    if (rewrite(x - x, 0) ||
        (no_overflow_int(op->type) &&
         (rewrite((x + y) - y, x) ||
          rewrite((x + y) - x, x) ||
          rewrite(min(x + c0, y) - x, min(y - x, c0))))) {
        return mutate(rewrite.result, info);
    }
    return op;
}
