// A method of the program has the name of one that reads, and counts.
// wrong: bounded

class Right : public IRMutator {
    int n = 0;
    bool get(Expr e) {
        n++;
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    int n = 0;
    bool get(Expr e) {
        n++;
        return n == 4;
    }
    Stmt visit(const Allocate *op) {
        n = 0;
        bool f = false;
        for (const Expr &e : op->extents) {
            if (this->get(e)) f = true;
        }
        if (f) return Evaluate::make(0);
        return op;
    }
};
