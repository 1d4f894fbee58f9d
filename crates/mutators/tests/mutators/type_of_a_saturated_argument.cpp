// The argument of `saturating_cast` may have any type of numbers.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::saturating_cast)) {
            if (op->args[0].type() == Handle()) return make_zero(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::saturating_cast)) {
            Expr a = mutate(op->args[0]);
            if (a.type() == op->type) return op;
            return cast(op->type, a);
        }
        return op;
    }
};
