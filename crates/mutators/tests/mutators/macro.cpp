// What the preprocessor replaces is not what it is called.
// wrong: unsupported

#define NOTHING 1

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_zero(b)) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_const(b, NOTHING)) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};
