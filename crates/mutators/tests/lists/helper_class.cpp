// Each call of a helper moves a flag of its own, and four of them count.
// wrong: bounded

bool lng(const Array<Expr> &v) {
    bool a = has(v, 1);
    bool b = has(v, 2);
    bool c = has(v, 3);
    bool d = has(v, 4);
    return a && b && c && d;
}

bool has(const Array<Expr> &v, int k) {
    bool f = false;
    for (const Expr &e : v) {
        if (is_const(e, k)) f = true;
    }
    return f;
}

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        if (lng(op->extents)) return Evaluate::make(0);
        return op;
    }
};
