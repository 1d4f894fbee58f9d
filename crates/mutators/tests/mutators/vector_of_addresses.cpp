// A vector of addresses has the type code of an address.
// wrong: wrong

class Right : public IRMutator {
    Expr visit(const EQ *op) {
        if (op->a.type().is_handle() && op->a.type().is_vector()) {
            return EQ::make(op->b, op->a);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const EQ *op) {
        if (op->a.type().is_handle() && op->a.type().is_vector()) {
            return EQ::make(op->a, op->a);
        }
        return op;
    }
};
