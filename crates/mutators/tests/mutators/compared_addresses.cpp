// Addresses are compared too.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    Expr visit(const EQ *op) {
        if (op->a.type().is_handle() && equal(op->a, op->b)) {
            return make_const(op->type, 1);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op) {
        if (op->a.type().is_handle()) {
            return make_const(op->type, 1);
        }
        return op;
    }
};
