// In the older compilers, the null address is made by a call.
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
    void visit(const EQ *op) {
        if (op->a.type() == Handle()) {
            Expr null = make_zero(op->a.type());
            if (null.as<Call>()) {
                expr = const_true();
                return;
            }
        }
        expr = op;
    }
};
