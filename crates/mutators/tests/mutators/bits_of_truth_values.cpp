// `&` of two truth values makes a connective, and no call.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        Expr both = op->a & op->b;
        if (both.as<And>()) {
            return both;
        }
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr visit(const And *op) override {
        Expr both = op->a & op->b;
        if (both.as<And>()) {
            return op->a;
        }
        return op;
    }
};
