// The files may say what a question about a call means.
// wrong: unsupported
// profile: halide

bool Call::is_intrinsic(IntrinsicOp op) const {
    return true;
}

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        return Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::likely)) {
            return mutate(op->args[0]);
        }
        return op;
    }
};
