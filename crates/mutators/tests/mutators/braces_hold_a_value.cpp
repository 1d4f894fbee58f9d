// A `ScopedValue` that is made with braces assigns, as one that is made with parentheses.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        { ScopedValue<bool> s{on, true}; }
        if (on) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        ScopedValue<bool> s{on, true};
        if (on) { return op->a; }
        return op;
    }
};
