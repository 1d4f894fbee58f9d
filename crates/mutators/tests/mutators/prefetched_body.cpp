// What is prefetched is a hint; what stands below it is done.
// wrong: wrong

class Right : public IRMutator {
    void visit(const Prefetch *op, const Stmt &self) {
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (is_zero(condition)) {
            stmt = body;
        } else {
            stmt = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Prefetch *op, const Stmt &self) {
        Stmt body = mutate(op->body);
        Expr condition = mutate(op->condition);
        if (is_zero(condition)) {
            stmt = Evaluate::make(0);
        } else {
            stmt = self;
        }
    }
};
