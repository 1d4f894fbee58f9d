// Quotients are nested only for divisors above 0.
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
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        const Div *div_a = a.as<Div>();
        if (op->type.is_int() && op->type.bits() == 32 && div_a && const_int(div_a->b, &ia) && 0 < ia && ia < 1000 && const_int(b, &ib) && 0 < ib && ib < 1000) {
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
        if (op->type.is_int() && op->type.bits() == 32 && div_a && const_int(div_a->b, &ia) && -1000 < ia && ia < 1000 && const_int(b, &ib) && -1000 < ib && ib < 1000) {
            expr = mutate(div_a->a / make_const(op->type, ia * ib));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Div::make(a, b);
        }
    }
};
