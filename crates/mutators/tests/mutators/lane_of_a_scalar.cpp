// What is made of a scalar by `extract_lane` has no `Let`, and is another node.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (op->type.is_scalar() && op->a.as<Let>()) {
            Expr lane = extract_lane(op->a, 0);
            return Sub::make(lane, op->b);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (op->type.is_scalar() && op->a.as<Let>()) {
            Expr lane = extract_lane(op->a, 0);
            if (!lane.as<Let>()) {
                return op->b;
            }
        }
        return op;
    }
};
