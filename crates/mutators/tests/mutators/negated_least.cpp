// The least integer has no negative.
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
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        if (op->type.bits() < 64 && const_int(b, &ib)) {
            expr = mutate(Add::make(a, make_const(op->type, -ib)));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        if (const_int(b, &ib)) {
            expr = mutate(Add::make(a, make_const(op->type, -ib)));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Sub::make(a, b);
        }
    }
};
