// `cast` refuses an address.
// wrong: rejects
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        Expr same = cast(op->type, op->true_value);
        return Select::make(op->condition, same, op->false_value);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) override {
        if (op->type.is_scalar()) {
            Expr number = cast(Int(32), op->true_value);
        }
        return op;
    }
};
