// A template argument converts what is given.
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
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 64 && const_int(b, &ib)) {
            expr = Max::make(a, make_const(op->type, std::max<int64_t>(ib, ib)));
        } else {
            expr = Max::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 64 && const_int(b, &ib)) {
            expr = Max::make(a, make_const(op->type, std::max<int>(ib, ib)));
        } else {
            expr = Max::make(a, b);
        }
    }
};
