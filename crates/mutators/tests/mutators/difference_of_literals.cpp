// The difference of two signed literals may not fit their type.
// wrong: crash
// profile: halide-to-hardware

class Right : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::absd)) {
            const int64_t *a = as_const_int(op->args[0]);
            const int64_t *b = as_const_int(op->args[1]);
            if (a && b && *a > 0 && *b > 0 && *a < 99 && *b < 99 && *a - *b == 0) {
                return op;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Call *op) override {
        if (op->is_intrinsic(Call::absd)) {
            const int64_t *a = as_const_int(op->args[0]);
            const int64_t *b = as_const_int(op->args[1]);
            if (a && b && *a - *b == 0) {
                return op;
            }
        }
        return op;
    }
};
