// Which function is called is told by the types of numbers too.
// wrong: wrong

Expr number(Type t, int value) {
    return make_const(t, value);
}

Expr number(Type t, int64_t value) {
    return make_zero(t);
}

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
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 32 && const_int(b, &ib)) {
            expr = Add::make(a, number(op->type, (int)ib));
        } else {
            expr = Add::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 32 && const_int(b, &ib)) {
            expr = Add::make(a, number(op->type, ib));
        } else {
            expr = Add::make(a, b);
        }
    }
};
