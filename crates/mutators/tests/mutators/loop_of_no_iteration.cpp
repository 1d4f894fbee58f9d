// A loop does nothing if it has no iterations, wherever it begins.
// wrong: wrong

class Right : public IRMutator {
    Stmt visit(const For *op) {
        Stmt body = mutate(op->body);
        if (is_zero(op->extent)) {
            return Evaluate::make(0);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const For *op) {
        Stmt body = mutate(op->body);
        if (is_zero(op->min)) {
            return Evaluate::make(0);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
