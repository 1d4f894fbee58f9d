// A loop that takes a semaphore takes in each iteration what its counter tells.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const For *op) {
        Expr min = mutate(op->min);
        Expr max = mutate(op->max);
        Stmt body = mutate(op->body);
        if (body.as<Acquire>() && min.same_as(op->min) && body.same_as(op->body)) {
            return op->with(op->min, max, op->body);
        }
        return op->with(min, max, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) {
        Expr min = mutate(op->min);
        Expr max = mutate(op->max);
        Stmt body = mutate(op->body);
        if (const Acquire *acquire = body.as<Acquire>()) {
            if (is_no_op(acquire->body)) {
                Expr count = acquire->count * ((max - min) + 1);
                return Acquire::make(acquire->semaphore, count, acquire->body);
            }
        }
        return op->with(min, max, body);
    }
};
