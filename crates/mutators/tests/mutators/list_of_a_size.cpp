// A method that compares the size of a list does not treat all lists alike.
// wrong: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args(op->args.size());
        std::vector<Expr> values(op->values.size());
        bool changed = false;
        for (size_t i = 0; i < op->args.size(); i++) {
            Expr arg = mutate(op->args[i]);
            if (!arg.same_as(op->args[i])) changed = true;
            args[i] = arg;
        }
        for (size_t i = 0; i < op->values.size(); i++) {
            Expr value = mutate(op->values[i]);
            if (!value.same_as(op->values[i])) changed = true;
            values[i] = value;
        }
        if (!changed) {
            return op;
        }
        return Provide::make(op->name, values, args);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args(op->args.size());
        for (size_t i = 0; i < op->args.size(); i++) {
            args[i] = mutate(op->args[i]);
        }
        if (op->args.size() > 4) {
            return Evaluate::make(0);
        }
        return Provide::make(op->name, op->values, args);
    }
};
