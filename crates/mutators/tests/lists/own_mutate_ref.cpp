// A function of the program is another `mutate`, and counts.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr mutate(const Expr &e, int &n) {
        n++;
        return mutate(e);
    }
    Expr visit(const Sub *op) override {
        return Sub::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr mutate(const Expr &e, int &n) {
        n++;
        return mutate(e);
    }
    Expr visit(const Sub *op) override {
        int n = 0;
        Expr a = mutate(op->a, n);
        if (n == 1) {
            return op->a;
        }
        return Sub::make(a, mutate(op->b));
    }
};
