// A difference of addresses has no literal 0.
// wrong: crash
// right: unsupported
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const EQ *op) {
        Expr delta = mutate(op->a - op->b);
        if (const Sub *sub = delta.as<Sub>()) {
            return EQ::make(sub->a, sub->b);
        }
        return EQ::make(mutate(op->a), mutate(op->b));
    }

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
        if (rewrite(x - 0, x) || (!op->type.is_handle() && rewrite(x - x, 0))) {
            return rewrite.result;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op) {
        Expr delta = mutate(op->a - op->b);
        if (const Sub *sub = delta.as<Sub>()) {
            return EQ::make(sub->a, sub->b);
        }
        return EQ::make(mutate(op->a), mutate(op->b));
    }

    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
        if (rewrite(x - 0, x) || rewrite(x - x, 0)) {
            return rewrite.result;
        }
        return Sub::make(a, b);
    }
};
