// `%` of the compiler's own integers by a constant that may be 0.
// wrong: crash

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
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        const Mul *mul_a = a.as<Mul>();
        if (op->type.is_int() && op->type.bits() == 32 && mul_a && const_int(mul_a->b, &ia) && const_int(b, &ib) && ib > 0 && ia % ib == 0) {
            expr = mutate(mul_a->a * make_const(op->type, ia / ib));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Div::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        const Mul *mul_a = a.as<Mul>();
        if (op->type.is_int() && op->type.bits() == 32 && mul_a && const_int(mul_a->b, &ia) && const_int(b, &ib) && ia % ib == 0) {
            expr = mutate(mul_a->a * make_const(op->type, ia / ib));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Div::make(a, b);
        }
    }
};
