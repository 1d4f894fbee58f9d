// A `ScopedValue` that a function returns ends with the variable of the caller.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        auto f = [&]() { ScopedValue<bool> s(on, true); return on; };
        if (!f()) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        auto f = [&]() { ScopedValue<bool> s(on, true); return s; };
        auto s = f();
        if (on) { return op->a; }
        return op;
    }
};
