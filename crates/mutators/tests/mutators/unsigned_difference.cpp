// An unsigned difference of constants wraps in the type of the node.
// wrong: wrong

bool const_uint(const Expr &e, uint64_t *u) {
    if (e.type().is_vector()) {
        return false;
    } else if (const uint64_t *p = as_const_uint(e)) {
        *u = *p;
        return true;
    }
    return false;
}

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        uint64_t ua = 0, ub = 0;
        if (const_uint(a, &ua) && const_uint(b, &ub)) {
            expr = UIntImm::make(op->type, ua - ub);
        } else {
            expr = Sub::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        uint64_t ua = 0, ub = 0;
        if (const_uint(a, &ua) && const_uint(b, &ub)) {
            expr = UIntImm::make(op->type, ua + ub);
        } else {
            expr = Sub::make(a, b);
        }
    }
};
