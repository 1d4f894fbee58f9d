// A hexadecimal literal may be unsigned without saying so.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (op->type.is_int() && op->type.bits() == 64 && is_const(b, 4294967296)) {
            int64_t ib = 4294967295 + 1;
            expr = Add::make(a, make_const(op->type, ib));
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (op->type.is_int() && op->type.bits() == 64 && is_const(b, 4294967296)) {
            int64_t ib = 0xffffffff + 1;
            expr = Add::make(a, make_const(op->type, ib));
        } else {
            expr = Add::make(a, b);
        }
    }
};
