// A floating-point number that becomes an integer is rounded.
// wrong: undecided

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const double *fb = as_const_float(b);
        if (fb && *fb == 0) {
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
        const double *fb = as_const_float(b);
        if (fb) {
            int64_t whole = *fb;
            expr = Add::make(a, make_const(op->type, whole));
        } else {
            expr = Add::make(a, b);
        }
    }
};
