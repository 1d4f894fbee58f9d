// The name of a variable is not empty.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const Provide *op) override {
        Stmt s = Provide::make(op->name, op->values, op->args, op->predicate);
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        Expr e = Variable::make(op->type, "");
        return op;
    }
};
