// A variable of an inner block hides one that counts.
// wrong: bounded

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        std::vector<Expr> extents;
        for (const Expr &e : op->extents) {
            extents.push_back(e);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        int run = 0;
        int best = 0;
        for (const Expr &e : op->extents) {
            if (is_const(e)) {
                int best = 0;
                int run = 0;
            }
            run = is_const(e, 1) ? run + 1 : 0;
            best = run > best ? run : best;
        }
        if (best > 3) return Evaluate::make(0);
        return op;
    }
};
