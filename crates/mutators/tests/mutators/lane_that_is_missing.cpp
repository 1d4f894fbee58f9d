// A vector need not have lane 100.
// wrong: unsupported
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
    Expr visit(const Add *op) override {
        if (op->type.is_vector()) {
            Expr lane = extract_lane(op->a, 100);
        }
        return op;
    }
};
