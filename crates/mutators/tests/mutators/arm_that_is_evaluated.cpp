// The intrinsic `if_then_else` evaluates its condition and one of its arms.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const Evaluate *op) override {
        const Call *call = op->value.as<Call>();
        if (call && call->is_intrinsic(Call::if_then_else) && call->args.size() == 3 &&
            op->value.type().is_scalar() && is_const(call->args[1]) && is_const(call->args[2])) {
            return Evaluate::make(call->args[0]);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Stmt visit(const Evaluate *op) override {
        const Call *call = op->value.as<Call>();
        if (call && call->is_intrinsic(Call::if_then_else) && call->args.size() == 3) {
            Stmt arms = Block::make(Evaluate::make(call->args[1]), Evaluate::make(call->args[2]));
            return Block::make(Evaluate::make(call->args[0]), arms);
        }
        return op;
    }
};
