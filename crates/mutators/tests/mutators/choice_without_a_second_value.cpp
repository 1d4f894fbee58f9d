// A call of `if_then_else` may have two arguments, and the first one is a truth value.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::if_then_else) && op->args.size() == 3) {
            if (!op->args[0].type().is_bool()) return op->args[2];
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::if_then_else)) {
            if (op->args[2].type() == op->type) return op;
        }
        return op;
    }
};
