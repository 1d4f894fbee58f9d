// Distribution of a maximum needs a type that does not wrap.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Max *max_a = a.as<Max>();
        const Sub *sub_a_a = max_a ? max_a->a.as<Sub>() : nullptr;
        if (op->type.is_int() && op->type.bits() >= 32 && max_a && sub_a_a && equal(sub_a_a->b, b)) {
            expr = mutate(Max::make(sub_a_a->a, Add::make(max_a->b, b)));
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
        const Max *max_a = a.as<Max>();
        const Sub *sub_a_a = max_a ? max_a->a.as<Sub>() : nullptr;
        if (max_a && sub_a_a && equal(sub_a_a->b, b)) {
            expr = mutate(Max::make(sub_a_a->a, Add::make(max_a->b, b)));
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Add::make(a, b);
        }
    }
};
