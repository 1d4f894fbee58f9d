// A load reads as many bytes as its type has.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Load *op) override {
        if (op->type == Int(32)) {
            Expr same = Load::make(Int(32), op->name, op->index, op->image, op->param, op->predicate, op->alignment);
            return cast(Int(32), cast(Int(64), same));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Load *op) override {
        if (op->type == Int(32)) {
            Expr wide = Load::make(Int(64), op->name, op->index, op->image, op->param, op->predicate, op->alignment);
            return cast(Int(32), wide);
        }
        return op;
    }
};
