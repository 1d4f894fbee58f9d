// Both sides of a conditional expression have one type.
// wrong: wrong

bool const_int(const Expr &e, int64_t *i) {
    if (e.type().is_vector()) {
        return false;
    } else if (const int64_t *p = as_const_int(e)) {
        *i = *p;
        return true;
    }
    return false;
}

class Right : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 64 && const_int(b, &ib) && (ib == 1 || ib == -1)) {
            int64_t sign = ib < 0 ? -1 : 1;
            expr = Mul::make(a, make_const(op->type, sign));
        } else {
            expr = Mul::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mul *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 64 && const_int(b, &ib) && (ib == 1 || ib == -1)) {
            int64_t sign = ib < 0 ? -1 : 1u;
            expr = Mul::make(a, make_const(op->type, sign));
        } else {
            expr = Mul::make(a, b);
        }
    }
};
