// `div_imp<int64_t>` converts its arguments first.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const UIntImm *op) override {
        if (op->type.bits() == 64 && op->value < 9 && div_imp<int64_t>(op->value, 2) < 0) {
            return make_const(op->type, 0);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const UIntImm *op) override {
        if (op->type.bits() == 64 && div_imp<int64_t>(op->value, 2) < 0) {
            return make_const(op->type, 0);
        }
        return op;
    }
};
