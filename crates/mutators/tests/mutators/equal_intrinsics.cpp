// Calls of one intrinsic may be equal.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Call *call_a = a.as<Call>();
        const Call *call_b = b.as<Call>();
        if (call_a && call_b && call_a->is_intrinsic(Call::likely) && call_b->is_intrinsic(Call::likely) && equal(a, b)) {
            expr = a;
        } else {
            expr = Max::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Max *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Call *call_a = a.as<Call>();
        const Call *call_b = b.as<Call>();
        if (call_a && call_b && call_a->is_intrinsic(Call::likely) && call_b->is_intrinsic(Call::likely) && equal(a, b)) {
            expr = make_zero(op->type);
        } else {
            expr = Max::make(a, b);
        }
    }
};
