// A product of constants becomes a divisor where it fits the type.
// wrong: wrong
// profile: halide-hls

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
        const Div *div_a = a.as<Div>();
        if (op->type.is_int() && op->type.bits() == 32 && div_a && const_int(div_a->b, &ia) && ia > 0 && const_int(b, &ib) && ib > 0 && !mul_would_overflow(32, ia, ib)) {
            expr = mutate(div_a->a / make_const(op->type, ia * ib));
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
        const Div *div_a = a.as<Div>();
        if (op->type.is_int() && op->type.bits() == 32 && div_a && const_int(div_a->b, &ia) && ia > 0 && const_int(b, &ib) && ib > 0) {
            expr = mutate(div_a->a / make_const(op->type, ia * ib));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Div::make(a, b);
        }
    }
};
