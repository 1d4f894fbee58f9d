// A function of the program is another `mutate`, and counts.
// wrong: wrong
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
