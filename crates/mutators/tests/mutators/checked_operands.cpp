// An assert of two operands ends the compiler where they differ.
// wrong: crash

class Right : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        CHECK_EQ(op->a.type(), op->b.type()) << "other types";
        expr = Add::make(mutate(op->a), mutate(op->b));
    }
};

class Wrong : public IRMutator {
    void visit(const Add *op, const Expr &self) {
        CHECK_EQ(op->a.type(), Int(32)) << "other types";
        expr = Add::make(mutate(op->a), mutate(op->b));
    }
};
