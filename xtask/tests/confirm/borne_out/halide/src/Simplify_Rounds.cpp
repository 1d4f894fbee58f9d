// Wrong rules that the compiled Halide has too. At unsigned types it never comes to the second one.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Max *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::max(a, b), op->type);
    if (rewrite(max((x / c0) * c0, x), x, c0 > 0)) {
        return rewrite.result;
    }
    return Max::make(a, b);
}

Expr Simplify::visit(const Sub *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
    if (rewrite(x - min(x - y, 0), max(x, y))) {
        return rewrite.result;
    }
    return Sub::make(a, b);
}
