// A multiple of the divisor leaves the remainder as it is.
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
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        const Add *add_a = a.as<Add>();
        if (op->type.is_int() && op->type.bits() == 32 && add_a && const_int(add_a->b, &ia) && const_int(b, &ib) && ib > 0 && ia % ib == 0) {
            expr = mutate(add_a->a % b);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mod::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Mod *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ia = 0, ib = 0;
        const Add *add_a = a.as<Add>();
        if (op->type.is_int() && op->type.bits() == 32 && add_a && const_int(add_a->b, &ia) && const_int(b, &ib) && ib > 0 && ia >= ib) {
            expr = mutate(add_a->a % b);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Mod::make(a, b);
        }
    }
};
