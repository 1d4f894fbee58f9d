// C++ divides the numbers of a condition: -1 / 2 is 0, so the first rule never fires.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const LT *op, ExprInfo *info) {
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, nullptr);
        auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type);
        if (rewrite(c0 < c1, fold(c1 < c0), c0 == -1 / 2 && c0 != 0)) {
            return rewrite.result;
        }
        return LT::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const LT *op, ExprInfo *info) {
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, nullptr);
        auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type);
        if (rewrite(c0 < c1, fold(c1 < c0), c0 != 0)) {
            return rewrite.result;
        }
        return LT::make(a, b);
    }
};
