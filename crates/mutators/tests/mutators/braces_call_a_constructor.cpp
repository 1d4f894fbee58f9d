// A constructor that takes a list in braces may change what it is given.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const And *op) override {
        int n = 0;
        struct S { int k; S(int &b) : k(b++) {} };
        S s{n};
        if (n == 0) { return op->a; }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const And *op) override {
        int n = 0;
        struct S { int k; S(int &b) : k(b++) {} };
        S s{n};
        if (n == 1) { return op->a; }
        return op;
    }
};
