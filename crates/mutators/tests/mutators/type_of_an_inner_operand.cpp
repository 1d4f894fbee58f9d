// A method that asks for the type of an operand's operand meets all types there.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const And *op) override {
        if (const LT *less = op->a.as<LT>()) {
            if (less->a.type() == Int(16)) {
                return op->a && op->b;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const And *op) override {
        if (const LT *less = op->a.as<LT>()) {
            if (less->a.type() == Int(16)) {
                return op->b;
            }
        }
        return op;
    }
};
