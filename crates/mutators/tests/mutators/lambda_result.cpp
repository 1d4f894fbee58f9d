// The result of a lambda function has the type that is written after its arrow.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Expr visit(const IntImm *op) override {
        if (op->type.bits() != 32) {
            return op;
        }
        auto kept = [&](int64_t value) -> int64_t { return value; };
        return IntImm::make(op->type, kept(op->value));
    }
};

class Wrong : public IRMutator {
    Expr visit(const IntImm *op) override {
        if (op->type.bits() != 32) {
            return op;
        }
        auto kept = [&](int64_t value) -> int8_t { return value; };
        return IntImm::make(op->type, kept(op->value));
    }
};
