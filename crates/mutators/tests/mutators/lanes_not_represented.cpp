// A type of vectors represents no type of one lane.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const Add *op) override {
        Type t = op->type.element_of();
        if (op->type.is_int() && op->type.bits() == 32 && !t.can_represent(Int(8))) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) override {
        if (op->type.is_int() && op->type.bits() == 32 && !op->type.can_represent(Int(8))) {
            return op->a;
        }
        return op;
    }
};
