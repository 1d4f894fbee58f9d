// command: verify FILE --profile halide --only rules --threads 1
// A use of a rewriter in a statement or a macro that is not read is told.
#define RULE(l, r) rewrite(l, r)

Expr Simplify::visit(const Min *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::min(a, b), op->type);
    if (rewrite(min(x, x), x)) { return rewrite.result; }
    if (RULE(min(x, y), x)) { return rewrite.result; }
    return op;
}

Expr Simplify::visit(const Max *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::max(a, b), op->type);
    if (rewrite(max(x, x), x)) { return rewrite.result; }
    try {
        if (rewrite(max(x, y), x)) { return rewrite.result; }
    } catch (...) {
    }
    return op;
}
// exit: 3
// 2 of 2 rules lead downwards in one order, 0 pairs undo one another
// rules_that_are_hidden.cpp:7: unsupported: a use of a rewriter in a place that is not read, at
//     a use of a rewriter in a place that is not read
// rules of Simplify::visit(Min *): 1 verified, 1 unsupported
// rules_that_are_hidden.cpp:15: unsupported: a use of a rewriter in a place that is not read, at
//     a use of a rewriter in a place that is not read
// rules of Simplify::visit(Max *): 1 verified, 1 unsupported
// at 8 bits: 2 verified, 2 unreached
// at 16 bits: 2 verified, 2 unreached
// at 32 bits: 2 verified, 2 unreached
// 4 rules: 2 verified, 2 unsupported
// unknown: rules_that_are_hidden.cpp:7: a use of a rewriter in a place that is not read (the first of 2 reasons)
