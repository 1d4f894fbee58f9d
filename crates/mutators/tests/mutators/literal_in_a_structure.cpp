// A number that initializes a member of type `Expr` is a literal of 32 bits.
// wrong: type
// profile: halide

struct Offset {
    Expr offset;
    int steps;
};

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        Offset last = {0, 1};
        if (op->type != Int(32)) {
            return op;
        }
        return Sub::make(op->a, op->b) + last.offset;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Sub *op) override {
        Offset last = {0, 1};
        if (op->type.is_float()) {
            return op;
        }
        return Sub::make(op->a, op->b) + last.offset;
    }
};
