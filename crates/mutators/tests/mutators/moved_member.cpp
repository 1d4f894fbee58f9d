// A member is undefined once it was moved from.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr kept;
    Expr visit(const Mul *op) override {
        kept = op->b;
        Expr rhs = std::move(kept);
        kept = op->a;
        return Mul::make(kept, rhs);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr kept;
    Expr visit(const Mul *op) override {
        kept = op->b;
        Expr rhs = std::move(kept);
        return Mul::make(op->a, kept);
    }
};
