// An operand is compared with a constant of a type that the method names.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Or *op) override {
        const EQ *c = op->a.as<EQ>();
        if (c && equal(c->a, make_const(Int(16), 5))) {
            return Or::make(op->b, op->a);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Or *op) override {
        const EQ *c = op->a.as<EQ>();
        if (c && equal(c->a, make_const(Int(16), 5))) {
            return op->b;
        }
        return op;
    }
};
