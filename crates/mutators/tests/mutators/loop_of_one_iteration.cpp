// A loop that runs once begins at its minimum.
// wrong: wrong
// profile: halide-hls

class Right : public IRMutator {
    Stmt visit(const For *op) {
        Stmt body = mutate(op->body);
        if (is_one(op->extent)) {
            return LetStmt::make(op->name, op->min, body);
        } else if (is_zero(op->extent)) {
            return Evaluate::make(0);
        } else if (body.same_as(op->body)) {
            return op;
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) {
        Stmt body = mutate(op->body);
        if (is_one(op->extent)) {
            return LetStmt::make(op->name, op->extent, body);
        } else if (is_zero(op->extent)) {
            return Evaluate::make(0);
        } else if (body.same_as(op->body)) {
            return op;
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
