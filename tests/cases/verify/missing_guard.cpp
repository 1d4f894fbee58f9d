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
