// A lambda function has the name of a function of the API, and counts.
// wrong: bounded

bool has(const Array<Expr> &v, int k) {
    bool found = false;
    for (const Expr &e : v) {
        if (is_const(e, k)) found = true;
    }
    return found;
}

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        auto has = [&](const Array<Expr> &v, int k) {
            int n = 0;
            for (const Expr &e : v) {
                n++;
            }
            return n == k;
        };
        if (has(op->extents, 4)) return Evaluate::make(0);
        return op;
    }
};
