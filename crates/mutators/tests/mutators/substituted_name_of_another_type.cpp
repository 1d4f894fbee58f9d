// A variable that is replaced by an expression of another type leaves an operator of two types.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Let *op) override {
        if (op->value.type().is_int()) {
            Expr other = substitute(op->name, make_const(op->value.type(), 0), op->body);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Let *op) override {
        Expr other = substitute(op->name, make_const(UInt(8), 0), op->body);
        return op;
    }
};
