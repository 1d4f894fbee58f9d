// Two lists, with a flag, as Halide's base class mutates them.
// wrong: bounded
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> new_args(op->args.size());
        std::vector<Expr> new_values(op->values.size());
        bool changed = false;
        // Mutate the args
        for (size_t i = 0; i < op->args.size(); i++) {
            const Expr &old_arg = op->args[i];
            Expr new_arg = mutate(old_arg);
            if (!new_arg.same_as(old_arg)) {
                changed = true;
            }
            new_args[i] = new_arg;
        }
        for (size_t i = 0; i < op->values.size(); i++) {
            const Expr &old_value = op->values[i];
            Expr new_value = mutate(old_value);
            if (!new_value.same_as(old_value)) {
                changed = true;
            }
            new_values[i] = new_value;
        }
        Expr new_predicate = mutate(op->predicate);
        if (!changed && new_predicate.same_as(op->predicate)) {
            return op;
        }
        return Provide::make(op->name, new_values, new_args, new_predicate);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> new_args(op->args.size());
        std::vector<Expr> new_values(op->values.size());
        bool changed = false;
        // Mutate the args
        for (size_t i = 0; i < op->args.size(); i++) {
            const Expr &old_arg = op->args[i];
            Expr new_arg = mutate(old_arg);
            if (!new_arg.same_as(old_arg)) {
                changed = true;
            }
            new_args[i] = new_arg;
        }
        for (size_t i = 0; i < op->values.size(); i++) {
            const Expr &old_value = op->values[i];
            Expr new_value = i == 3 ? old_value + 1 : mutate(old_value);
            if (!new_value.same_as(old_value)) {
                changed = true;
            }
            new_values[i] = new_value;
        }
        Expr new_predicate = mutate(op->predicate);
        if (!changed && new_predicate.same_as(op->predicate)) {
            return op;
        }
        return Provide::make(op->name, new_values, new_args, new_predicate);
    }
};
