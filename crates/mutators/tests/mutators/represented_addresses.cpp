// No type of addresses represents anything, not even itself.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    using IRMutator::visit;
    void visit(const EQ *op) {
        if (!op->a.type().is_handle() && !op->a.type().can_represent(op->b.type())) {
            expr = make_bool(true, op->type.lanes());
            return;
        }
        expr = op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    void visit(const EQ *op) {
        if (!op->a.type().can_represent(op->b.type())) {
            expr = make_bool(true, op->type.lanes());
            return;
        }
        expr = op;
    }
};
