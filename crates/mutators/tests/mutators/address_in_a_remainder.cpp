// A method that asks whether a number is the bits of an address meets one.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mod *op) override {
        if (const Reinterpret *bits = op->a.as<Reinterpret>()) {
            if (bits->value.type().is_handle()) {
                return op->a % op->b;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Mod *op) override {
        if (const Reinterpret *bits = op->a.as<Reinterpret>()) {
            if (bits->value.type().is_handle()) {
                return op->b;
            }
        }
        return op;
    }
};
