// A member of 8 bits keeps the lowest bits of what is assigned to it.
// wrong: wrong

class Right : public IRMutator {
    uint8_t count = 0;
    Expr visit(const Sub *op) override {
        count = 256;
        if (count != 0) {
            return op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    uint8_t count = 0;
    Expr visit(const Sub *op) override {
        count = 256;
        if (count == 0) {
            return op->a;
        }
        return op;
    }
};
