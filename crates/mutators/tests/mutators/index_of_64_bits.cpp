// An index may have 64 bits.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Load *op) override {
        Expr index = mutate(op->index);
        return Load::make(op->type, op->name, index, op->image, op->param, op->predicate,
                          op->alignment);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Load *op) override {
        if (op->index.type().element_of() == Int(64) && op->type == Int(32)) {
            return make_zero(op->type);
        }
        return op;
    }
};
