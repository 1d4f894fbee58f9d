// A ramp of positive numbers may wrap in its later lanes.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        if (op->type.is_scalar() && is_const_zero(op->a) && is_positive_const(op->b)) {
            return op->b;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Max *op) override {
        if (is_const_zero(op->a) && is_positive_const(op->b)) {
            return op->b;
        }
        return op;
    }
};
