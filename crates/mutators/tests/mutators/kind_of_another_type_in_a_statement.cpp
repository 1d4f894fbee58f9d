// An expression that a method of a statement makes has a kind, whatever its type is.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For *op) override {
        Expr number = simplify(op->max - op->min);
        if (number.as<Sub>()) {
            return op;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Stmt visit(const For *op) override {
        Expr number = simplify(cast(Int(64), op->max) - cast(Int(64), op->min));
        if (number.as<Sub>()) {
            return Evaluate::make(0);
        }
        return op;
    }
};
