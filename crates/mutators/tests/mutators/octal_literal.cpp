// A literal that begins with 0 is octal.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (op->type.is_int() && op->type.bits() == 32 && is_const(b, 8)) {
            expr = Add::make(a, make_const(op->type, 010));
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (op->type.is_int() && op->type.bits() == 32 && is_const(b, 10)) {
            expr = Add::make(a, make_const(op->type, 010));
        } else {
            expr = Add::make(a, b);
        }
    }
};
