// A variable may stand for a parameter, which its name alone does not give.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        return Variable::make(op->type, op->name);
    }
};
