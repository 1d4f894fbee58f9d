// A variable of an inner block hides one that counts.
// wrong: bounded
// right: bounded
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args;
        int n = 0;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
            if (is_const(e)) {
                int n = 1;
                n += 1;
            } else {
                n += 1;
            }
        }
        return Provide::make(op->name, op->values, args, op->predicate);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Provide *op) override {
        std::vector<Expr> args;
        int n = 0;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
            if (is_const(e)) {
                int n = 1;
                n += 1;
            } else {
                n += 1;
            }
        }
        if (n > 3) {
            return Evaluate::make(0);
        }
        return Provide::make(op->name, op->values, args, op->predicate);
    }
};
