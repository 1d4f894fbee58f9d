// The extent is the number of iterations, which is no last number.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min);
        Expr max = min + mutate(op->extent()) - 1;
        Stmt body = mutate(op->body);
        return For::make(op->name, min, max, op->for_type, op->partition_policy, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) override {
        Expr min = mutate(op->min);
        Expr max = min + mutate(op->extent());
        Stmt body = mutate(op->body);
        return For::make(op->name, min, max, op->for_type, op->partition_policy, op->device_api, body);
    }
};
