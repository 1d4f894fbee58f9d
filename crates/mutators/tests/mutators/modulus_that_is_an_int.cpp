// The older alignments keep `int`: the modulus 4294967296 becomes 0.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Max *op) {
        const int64_t *a = as_const_int(op->a);
        if (op->type == Int(64) && a) {
            ModulusRemainder m = ModulusRemainder(*a, 0);
            if (m.modulus == 0) {
                expr = Max::make(op->a, op->b);
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Max *op) {
        const int64_t *a = as_const_int(op->a);
        if (op->type == Int(64) && a) {
            ModulusRemainder m = ModulusRemainder(*a, 0);
            if (m.modulus == 0) {
                expr = Max::make(make_zero(op->type), op->b);
                return;
            }
        }
        expr = op;
    }
};
