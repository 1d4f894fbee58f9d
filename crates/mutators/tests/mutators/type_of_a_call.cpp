// An intrinsic is no function of the program, but it may be pure.
// wrong: wrong
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::bitwise_and) && op->call_type == Call::Halide) {
            return op->args[0];
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::bitwise_and) && op->call_type == Call::PureIntrinsic) {
            return op->args[0];
        }
        return op;
    }
};
