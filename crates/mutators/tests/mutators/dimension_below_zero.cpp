// The dimension of a partition is not negative.
// wrong: crash

class Right : public IRMutator {
    void visit(const Let *op, const Expr &self) {
        Expr value = mutate(op->value);
        Expr other = Let::make(op->var, value, op->body);
        expr = self;
    }
};

class Wrong : public IRMutator {
    void visit(const Partition *op, const Stmt &self) {
        Stmt s = Partition::make(op->buffer_var, -1, op->factor, op->partition_type);
        stmt = self;
    }
};
