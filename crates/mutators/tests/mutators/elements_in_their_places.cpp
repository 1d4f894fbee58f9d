// Elements of a vector that are assigned stay where they are put.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Provide *op, const Stmt &self) {
        std::vector<Expr> args(op->args.size());
        std::vector<Expr> values(op->values.size());
        bool changed = false;
        for (size_t i = 0; i < op->args.size(); i++) {
            const Expr &old = op->args[i];
            Expr arg = mutate(old);
            if (!arg.same_as(old)) changed = true;
            args[i] = arg;
        }
        for (size_t i = 0; i < op->values.size(); i++) {
            values[i] = mutate(op->values[i]);
        }
        if (changed) {
            stmt = Provide::make(op->func, values, args);
        } else {
            stmt = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Provide *op, const Stmt &self) {
        std::vector<Expr> args(op->args.size());
        std::vector<Expr> values(op->values.size());
        bool changed = false;
        for (size_t i = 0; i < op->args.size(); i++) {
            const Expr &old = op->args[i];
            Expr arg = mutate(old);
            if (!arg.same_as(old)) changed = true;
            args[op->args.size() - 1 - i] = arg;
        }
        for (size_t i = 0; i < op->values.size(); i++) {
            values[i] = mutate(op->values[i]);
        }
        if (changed) {
            stmt = Provide::make(op->func, values, args);
        } else {
            stmt = self;
        }
    }
};
