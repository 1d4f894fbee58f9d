// A static variable keeps what it was assigned.
// wrong: unsupported

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        static const int steps = 2;
        int done = 0;
        for (int i = 0; i < steps; i++) {
            done++;
        }
        expr = done == steps ? Add::make(a, b) : a;
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        static int calls = 0;
        calls++;
        expr = calls == 1 ? Add::make(a, b) : a;
    }
};
