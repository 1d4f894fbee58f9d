// A number in a pattern has the type of the other operand.
// wrong: undecided
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *bounds) {
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, nullptr);
        if (op->a.type().is_handle() || op->a.type().is_bool() || !is_zero(b)) {
            return EQ::make(a, b);
        }
        auto rewrite = IRMatcher::rewriter(IRMatcher::eq(a, 0), op->type, a.type());
        if (rewrite(x * 1 == 0, x == 0)) {
            return rewrite.result;
        }
        return EQ::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op, ExprInfo *bounds) {
        Expr a = mutate(op->a, nullptr);
        Expr b = mutate(op->b, nullptr);
        if (op->a.type().is_handle() || op->a.type().is_bool() || !is_zero(b)) {
            return EQ::make(a, b);
        }
        auto rewrite = IRMatcher::rewriter(IRMatcher::eq(a, 1), op->type, a.type());
        if (rewrite(x * 1 == 1, x == 1)) {
            return rewrite.result;
        }
        return EQ::make(a, b);
    }
};
