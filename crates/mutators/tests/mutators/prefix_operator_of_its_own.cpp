// A file may have prefix operators of its own.
// wrong: unsupported
// profile: halide

struct Count {
    int n;
};

Count operator-(const Count &count) {
    return {-count.n};
}

Expr operator+(const Expr &e) {
    return e + 1;
}

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int one = -1;
        return one == 1 ? a : Sub::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        return Sub::make(+a, b);
    }
};
