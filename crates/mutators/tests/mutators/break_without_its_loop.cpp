// A loop of one iteration that has a `break` is more than its body.
// wrong: undecided

class Right : public IRMutator {
    void visit(const For *op, const Stmt &self) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        Stmt body = mutate(op->body);
        if (is_one(extent) && body.as<Store>()) {
            stmt = LetStmt::make(op->loop_var, min, body);
            return;
        }
        stmt = For::make(op->loop_var, min, extent, op->for_type, op->device_api, body,
                         op->annotate_keys, op->annotate_values);
    }
};

class Wrong : public IRMutator {
    void visit(const For *op, const Stmt &self) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        Stmt body = mutate(op->body);
        if (is_one(extent)) {
            stmt = LetStmt::make(op->loop_var, min, body);
            return;
        }
        stmt = For::make(op->loop_var, min, extent, op->for_type, op->device_api, body,
                         op->annotate_keys, op->annotate_values);
    }
};
