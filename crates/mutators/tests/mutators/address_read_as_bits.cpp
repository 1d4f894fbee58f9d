// The bits of an address are a number, and a number may be read as an address.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const EQ *op) override {
        if (op->a.type().is_handle() && op->a.as<Reinterpret>()) {
            return op->b == op->a;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const EQ *op) override {
        if (op->a.type().is_handle() && op->a.as<Reinterpret>()) {
            return const_true(op->type.lanes());
        }
        return op;
    }
};
