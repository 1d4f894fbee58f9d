// The older compilers have no node `Reinterpret`: the bits are read by a call.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const Add *op) {
        if (op->type == Int(32)) {
            Expr bits = reinterpret(UInt(32), op->a);
            if (bits.as<Call>()) {
                expr = Add::make(op->a, op->b);
                return;
            }
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const Add *op) {
        if (op->type == Int(32)) {
            Expr bits = reinterpret(UInt(32), op->a);
            if (bits.as<Call>()) {
                expr = op->b;
                return;
            }
        }
        expr = op;
    }
};
