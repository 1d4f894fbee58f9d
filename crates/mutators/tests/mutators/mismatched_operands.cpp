// `make` asserts that its operands have one type.
// wrong: crash

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Cast *cast_a = a.as<Cast>();
        const Cast *cast_b = b.as<Cast>();
        if (cast_a && cast_b && cast_a->value.type() == cast_b->value.type() && cast_a->value.type() == op->type) {
            expr = Add::make(cast_a->value, cast_b->value);
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
        const Cast *cast_a = a.as<Cast>();
        const Cast *cast_b = b.as<Cast>();
        if (cast_a && cast_b && cast_a->value.type() == op->type) {
            expr = Add::make(cast_a->value, cast_b->value);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};
