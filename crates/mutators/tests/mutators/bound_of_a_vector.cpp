// A bound of a vector is a scalar.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Min *op) override {
        Expr bound = find_constant_bound(op->a, Direction::Upper);
        if (op->type.is_scalar() && bound.defined() && bound.type() != op->type) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Min *op) override {
        Expr bound = find_constant_bound(op->a, Direction::Upper);
        if (bound.defined() && bound.type() != op->type) {
            return op->a;
        }
        return op;
    }
};
