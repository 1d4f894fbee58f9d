// The name of an intrinsic names another function in an external call.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::abs)) {
            return Call::make(op->type, Call::abs, {op->args[0]}, Call::PureIntrinsic);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::abs)) {
            return Call::make(op->type, Call::abs, {op->args[0]}, Call::Extern);
        }
        return op;
    }
};
