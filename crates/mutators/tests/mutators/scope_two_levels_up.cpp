// What was pushed before a condition is popped on each way out of it, at any level.
// wrong: scope

class Right : public IRMutator {
    Scope<int> loops;

    Stmt visit(const For *op) {
        loops.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (is_zero(op->min)) {
            if (is_one(op->extent)) {
                loops.pop(op->name);
                return op;
            }
            loops.push(op->name, 2);
            body = mutate(op->body);
            loops.pop(op->name);
        }
        loops.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> loops;

    Stmt visit(const For *op) {
        loops.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (is_zero(op->min)) {
            if (is_one(op->extent)) {
                loops.pop(op->name);
                return op;
            }
            loops.push(op->name, 2);
            body = mutate(op->body);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
