// A vector that the text does not show to be a list counts.
// wrong: bounded
// right: bounded

class Right : public IRMutator {
    std::vector<Expr> seen;
    void fill(const Allocate *op) {
        seen = {op->condition};
        copy(op->extents, seen);
    }
    void copy(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        seen = {op->condition};
        {
            std::vector<Expr> more;
        }
        fill(op);
        return op;
    }
};

class Wrong : public IRMutator {
    std::vector<Expr> seen;
    void fill(const Allocate *op) {
        seen = {op->condition};
        copy(op->extents, seen);
    }
    void copy(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        fill(op);
        if (seen.size() == 5) return Evaluate::make(0);
        return op;
    }
};
