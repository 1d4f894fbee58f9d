// A vector that the text does not show to be a list counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    std::vector<Expr> seen;
    void collect(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        seen = {op->condition};
        collect(op->extents, seen);
        return op;
    }
};

class Wrong : public IRMutator {
    std::vector<Expr> seen;
    void collect(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        seen = {op->condition};
        collect(op->extents, seen);
        if (seen.size() == 5) return Evaluate::make(0);
        return op;
    }
};
