// What a rule makes is the operand that it names, and no other one.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        auto rewrite = IRMatcher::rewriter(IRMatcher::add(a, b), op->type);
        if (rewrite(x + 0, a) || rewrite(0 + x, b)) {
            if (!rewrite.result.same_as(a)) {
                internal_assert(rewrite.result.same_as(b));
            }
            return rewrite.result;
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op, ExprInfo *info) {
        ExprInfo a_info, b_info;
        Expr a = mutate(op->a, &a_info);
        Expr b = mutate(op->b, &b_info);
        auto rewrite = IRMatcher::rewriter(IRMatcher::add(a, b), op->type);
        if (rewrite(x + 0, a) || rewrite(0 + x, b)) {
            if (!rewrite.result.same_as(a)) {
                internal_assert(rewrite.result.same_as(op->b));
            }
            return rewrite.result;
        }
        return Add::make(a, b);
    }
};
