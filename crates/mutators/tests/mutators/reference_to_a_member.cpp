// A reference to a member sees what the member is assigned, also before the method assigns it.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr kept;
    Expr visit(const Mul *op) override {
        const Expr &seen = kept;
        kept = op->a;
        if (!seen.defined()) {
            return op->b;
        }
        return Mul::make(seen, op->b);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr kept;
    Expr visit(const Max *op) override {
        const Expr &seen = kept;
        kept = Expr();
        if (!seen.defined()) {
            return op->b;
        }
        return op;
    }
};
