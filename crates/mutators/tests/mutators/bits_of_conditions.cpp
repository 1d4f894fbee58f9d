// `&` and `|` of truth values are connectives that always evaluate both operands.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (is_const_zero(a) & is_const_zero(b)) {
            return make_zero(op->type);
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        bool is_zero = is_const_zero(a);
        is_zero |= is_const_zero(b);
        if (is_zero) {
            return make_zero(op->type);
        }
        return Add::make(a, b);
    }
};
