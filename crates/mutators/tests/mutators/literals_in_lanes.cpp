// Vectors of literals that differ may be equal in a lane.
// wrong: undecided
// profile: halide-hls

class Right : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (op->type.is_scalar() && !a.type().is_handle() && is_const(a) && is_const(b) && !equal(a, b)) {
            expr = const_false();
        } else {
            expr = EQ::make(a, b);
        }
    }
};

class Wrong : public IRMutator {
    void visit(const EQ *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (!a.type().is_handle() && is_const(a) && is_const(b) && !equal(a, b)) {
            expr = const_false(op->type.lanes());
        } else {
            expr = EQ::make(a, b);
        }
    }
};
