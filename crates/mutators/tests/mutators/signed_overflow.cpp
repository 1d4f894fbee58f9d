// Constants of 64 bits are folded where the sum fits.
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
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        if (op->type.bits() < 64 && const_int(a, &ia) && const_int(b, &ib)) {
            expr = IntImm::make(op->type, ia + ib);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        if (const_int(a, &ia) && const_int(b, &ib)) {
            expr = IntImm::make(op->type, ia + ib);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};
