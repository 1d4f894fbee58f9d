// The class of an object runs code when it is made, or where it ends.
// wrong: unsupported
// right: unsupported

struct Bump {
    Bump(int &n) {
        n++;
    }
};

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        for (const Expr &e : op->extents) {
            Bump b{n};
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        for (const Expr &e : op->extents) {
            Bump b{n};
        }
        if (n == 4) return Evaluate::make(0);
        return op;
    }
};
