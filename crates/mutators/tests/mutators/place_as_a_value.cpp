// The places and the values of a write to a function are two lists.
// wrong: undecided
// right: bounded
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        if (op->args.size() == 2 && op->values.size() == 1) {
            return Provide::make(op->name, {op->values[0]}, {op->args[0], op->args[1]},
                                 op->predicate);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        if (op->args.size() == 2 && op->values.size() == 1) {
            return Provide::make(op->name, {op->args[1], op->values[0]}, {op->args[0]},
                                 op->predicate);
        }
        return op;
    }
};
