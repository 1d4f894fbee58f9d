// A pointer to a variable from outside counts.
// wrong: bounded
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        int *p = &n;
        bool f = false;
        for (const Expr &e : op->extents) {
            bool next = n == 0 ? is_const(e, 2) : n == 1 ? is_const(e, 4) : n == 2 ? is_const(e,
                    8) : n == 3 ? is_const(e, 16) : false;
            if (next && is_const_power_of_two_integer(e, p)) {
                f = true;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Allocate *op) {
        int n = 0;
        int *p = &n;
        bool f = false;
        for (const Expr &e : op->extents) {
            bool next = n == 0 ? is_const(e, 2) : n == 1 ? is_const(e, 4) : n == 2 ? is_const(e,
                    8) : n == 3 ? is_const(e, 16) : false;
            if (next && is_const_power_of_two_integer(e, p)) {
                f = true;
            }
        }
        if (n == 4) return Evaluate::make(0);
        return op;
    }
};
