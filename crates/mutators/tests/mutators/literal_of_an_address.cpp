// No address is a literal.
// wrong: crash
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        if (!op->type.is_handle()) {
            Expr one = make_one(op->type);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) override {
        Expr one = make_one(op->type);
        return op;
    }
};
