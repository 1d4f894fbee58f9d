// A call whose arguments were counted has as many as the intrinsic that it turns out to be.
// wrong: crash
// right: bounded
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->args.size() > 1) {
            return op;
        }
        if (op->is_intrinsic(Call::popcount)) {
            Expr a = op->args[0];
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->args.size() > 1) {
            return op;
        }
        if (op->is_intrinsic(Call::popcount)) {
            Expr a = op->args[1];
        }
        return op;
    }
};
