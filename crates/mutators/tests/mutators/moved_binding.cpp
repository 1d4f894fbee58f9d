// A `ScopedValue` that is moved ends with its new owner.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        { ScopedValue<bool> s(on, true); }
        if (on) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const And *op) override {
        bool on = false;
        std::vector<ScopedValue<bool>> keep;
        { ScopedValue<bool> s(on, true); keep.push_back(std::move(s)); }
        if (on) { return op->a; }
        return op;
    }
};
