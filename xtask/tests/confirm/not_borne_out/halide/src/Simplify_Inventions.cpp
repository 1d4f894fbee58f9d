// A wrong rule and a wrong mutator that the compiled Halide does not have.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Mul *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::mul(a, b), op->type);
    if (op->type.is_int() && rewrite(x * 3, x)) {
        return rewrite.result;
    }
    return Mul::make(a, b);
}

Expr Simplify::visit(const Not *op, ExprInfo *info) {
    return mutate(op->a, nullptr);
}
