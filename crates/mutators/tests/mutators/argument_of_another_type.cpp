// The type of an intrinsic follows from the types of its arguments.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::abs) && op->args[0].type() == Int(32)) {
            Expr arg = mutate(op->args[0]);
            return Call::make(op->type, Call::abs, {arg}, Call::PureIntrinsic);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::abs) && op->args[0].type() == Int(32)) {
            Expr arg = cast(Int(64), op->args[0]);
            return Call::make(op->type, Call::abs, {arg}, Call::PureIntrinsic);
        }
        return op;
    }
};
