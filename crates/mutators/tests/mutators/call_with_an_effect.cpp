// A call of a function of which nothing is known has an effect.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        const Call *call = op->value.as<Call>();
        if (call && call->name == "halide_trigger") {
            return Evaluate::make(op->value);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Evaluate *op) override {
        const Call *call = op->value.as<Call>();
        if (call && call->name == "halide_trigger") {
            return Evaluate::make(0);
        }
        return op;
    }
};
