// A compiler that refuses IR on purpose does not fail.
// wrong: crash
// right: rejects

class Right : public IRMutator {
    Expr visit(const Add *op) {
        user_assert(!op->type.is_float()) << "floats are not implemented";
        if (op->type.is_uint()) {
            internal_error << "unsigned integers are not implemented";
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        internal_assert(!op->type.is_float());
        return op;
    }
};
