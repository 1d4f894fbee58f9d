// A function of the program that hides `mutate` is not followed.
// wrong: unsupported
// right: unsupported
// profile: halide

class Right : public IRMutator {
    Expr mutate(const Expr &e, int &n) {
        n++;
        return mutate(e);
    }
    Expr visit(const Add *op) {
        int n = 0;
        Expr a = mutate(op->a, n);
        if (n == 1) {
            return Add::make(a, op->b);
        }
        return op->a;
    }
};

class Wrong : public IRMutator {
    Expr mutate(const Expr &e, int &n) {
        n++;
        return mutate(e);
    }
    Expr visit(const Add *op) {
        int n = 0;
        Expr a = mutate(op->a, n);
        if (n == 1) {
            return op->a;
        }
        return Add::make(a, op->b);
    }
};
