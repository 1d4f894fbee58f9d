// The null address is a number that is read as an address.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Select *op) override {
        if (op->type.is_vector()) {
            return op;
        }
        Expr zero = make_zero(op->type);
        if (zero.as<Reinterpret>()) {
            return op;
        }
        return Select::make(op->condition, op->true_value, op->false_value);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Select *op) override {
        if (op->type.is_vector()) {
            return op;
        }
        Expr zero = make_zero(op->type);
        if (zero.as<Reinterpret>()) {
            return op->true_value;
        }
        return op;
    }
};
