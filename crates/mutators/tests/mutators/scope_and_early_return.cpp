// What is pushed is popped on every way out.
// wrong: scope

class Right : public IRMutator {
    Scope<int> depths;

    Stmt visit(const For *op) {
        depths.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (is_no_op(body)) {
            depths.pop(op->name);
            return Evaluate::make(0);
        }
        depths.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> depths;

    Stmt visit(const For *op) {
        depths.push(op->name, 1);
        Stmt body = mutate(op->body);
        if (is_no_op(body)) {
            return Evaluate::make(0);
        }
        depths.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
