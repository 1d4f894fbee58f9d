// What a helper pushes another one pops.
// wrong: scope

class Right : public IRMutator {
    Scope<int> loops;

    void enter(const For *op) {
        loops.push(op->name, 1);
    }

    void leave(const For *op) {
        loops.pop(op->name);
    }

    Stmt visit(const For *op) {
        enter(op);
        Stmt body = mutate(op->body);
        leave(op);
        if (body.same_as(op->body)) {
            return op;
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> loops;

    void enter(const For *op) {
        loops.push(op->name, 1);
    }

    void leave(const For *op) {
        loops.pop(op->name);
    }

    Stmt visit(const For *op) {
        enter(op);
        Stmt body = mutate(op->body);
        if (body.same_as(op->body)) {
            return op;
        }
        leave(op);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
