// A statement may evaluate a vector.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        if (op->value.type().is_vector()) {
            return Evaluate::make(op->value);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        if (op->value.type().is_vector()) {
            return Evaluate::make(0);
        }
        return op;
    }
};
