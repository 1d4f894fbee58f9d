// A vector that the text does not show to be a list counts.
// wrong: bounded
// right: bounded

using Exprs = std::vector<Expr>;
class Right : public IRMutator {
    void collect(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        Expr z = op->condition;
        Exprs out = {z};
        collect(op->extents, out);
        return op;
    }
};

class Wrong : public IRMutator {
    void collect(const Array<Expr> &from, std::vector<Expr> &to) {
        for (const Expr &e : from) {
            to.push_back(e);
        }
    }
    Stmt visit(const Allocate *op) {
        Expr z = op->condition;
        Exprs out = {z};
        collect(op->extents, out);
        if (out.size() == 5) return Evaluate::make(0);
        return op;
    }
};
