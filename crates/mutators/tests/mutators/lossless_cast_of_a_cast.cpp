// The older `lossless_cast` looks through a cast that loses bits: of int8(x), it makes uint32(x).
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Cast *op) {
        if (op->type == UInt(32) && op->value.type() == UInt(8)) {
            Expr v = lossless_cast(op->type, op->value);
            if (v.defined()) {
                expr = v;
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Cast *op) {
        if (op->type == UInt(32) && op->value.type() == Int(8)) {
            Expr v = lossless_cast(op->type, op->value);
            if (v.defined()) {
                expr = v;
                return;
            }
        }
        expr = op;
    }
};
