// The class of an object runs code when it is made, or where it ends.
// wrong: unsupported

struct Bump {
    Bump(int &n) {
        n++;
    }
};

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        Bump b{n};
        if (n == 1) return Evaluate::make(0);
        return op;
    }
};
