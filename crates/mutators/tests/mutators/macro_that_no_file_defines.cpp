// A name in capitals may be a macro of a header that is not read.
// wrong: unsupported

enum Mode { FAST_MODE };

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        int mode = FAST_MODE;
        if (mode > INT_MAX - 1) {
            expr = self;
        }
        expr = Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        RETURN_EARLY;
        expr = Add::make(mutate(op->a), mutate(op->b));
    }
};
