// The arguments of `widening_add` are narrower than the call.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::widening_add)) {
            if (op->type.bits() == 64 && op->args[0].type() == op->type) {
                return make_zero(op->type);
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::widening_add)) {
            Expr a = mutate(op->args[0]);
            Expr b = mutate(op->args[1]);
            if (a.type() == op->type) return op;
            return cast(op->type, a + b);
        }
        return op;
    }
};
