// A name may stand for a type that cuts numbers.
// wrong: unsupported

typedef int16_t number;

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
            auto kept = ib;
            expr = Add::make(a, make_const(op->type, kept));
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
            number kept = ib;
            expr = Add::make(a, make_const(op->type, kept));
        } else {
            expr = Add::make(a, b);
        }
    }
};
