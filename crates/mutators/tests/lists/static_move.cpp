// A function of the program has the name of one of the API, and counts.
// wrong: bounded

class Right : public IRMutator {
    static Expr make(Expr e, int &n) {
        n++;
        return e;
    }
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    static Expr make(Expr e, int &n) {
        n++;
        return e;
    }
    Stmt visit(const Allocate *op) {
        int n = 0;
        for (const Expr &e : op->extents) {
            Expr x = Wrong::make(e, n);
        }
        if (n == 4) return Evaluate::make(0);
        return op;
    }
};
