// A text is a constant.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const EQ *op) {
        if (op->a.as<StringImm>() && is_const(op->a)) {
            expr = EQ::make(op->a, op->b);
            return;
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const EQ *op) {
        if (op->a.as<StringImm>() && is_const(op->a)) {
            expr = make_bool(true, op->type.lanes());
            return;
        }
        expr = op;
    }
};
