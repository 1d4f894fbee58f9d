// Calls of one intrinsic with equal arguments are equal.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        const Call *a = op->a.as<Call>();
        const Call *b = op->b.as<Call>();
        if (a && b && a->is_intrinsic(Call::likely) && b->is_intrinsic(Call::likely) && equal(op->a, op->b)) {
            expr = make_zero(op->type);
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Sub *op, const Expr &self) {
        const Call *a = op->a.as<Call>();
        const Call *b = op->b.as<Call>();
        if (a && b && a->is_intrinsic(Call::likely) && b->is_intrinsic(Call::likely) && equal(op->a, op->b)) {
            expr = make_one(op->type);
        } else {
            expr = self;
        }
    }
};
