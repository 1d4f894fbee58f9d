// Storage has a size and a condition.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const HoistedStorage *op) override {
        Stmt body = mutate(op->body);
        return HoistedStorage::make(op->name, op->type, op->memory_type, op->extents, op->condition, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const HoistedStorage *op) override {
        Stmt body = mutate(op->body);
        std::vector<Expr> extents;
        return HoistedStorage::make(op->name, op->type, op->memory_type, extents, const_false(), body);
    }
};
