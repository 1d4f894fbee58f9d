// A scope keeps a stack of entries for a name, so it may count more than one. A set does not.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    std::set<std::string> seen;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (seen.count("x") > 1) {
            return a;
        }
        return Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Scope<int> depths;

    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (depths.count("x") > 1) {
            return a;
        }
        return Sub::make(a, b);
    }
};
