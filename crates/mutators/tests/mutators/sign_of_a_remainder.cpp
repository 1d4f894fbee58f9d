// A remainder in C++ has the sign of what is divided.
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
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        int64_t ib = 0;
        if (op->type.is_int() && op->type.bits() == 32 && const_int(b, &ib) && ib % 2 > 0 && ib < 0) {
            expr = a;
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
        if (op->type.is_int() && op->type.bits() == 32 && const_int(b, &ib) && ib % 2 < 0) {
            expr = a;
        } else {
            expr = Add::make(a, b);
        }
    }
};
