// A name that is put together again of the same parts is the same.
// wrong: scope

class Right : public IRMutator {
    Scope<int> bounds;

    Stmt visit(const For *op) {
        bounds.push(op->name + ".min", 1);
        Stmt body = mutate(op->body);
        if (bounds.contains(op->name + ".min")) {
            bounds.pop(op->name + ".min");
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> bounds;

    Stmt visit(const For *op) {
        bounds.push(op->name + ".min", 1);
        Stmt body = mutate(op->body);
        if (bounds.contains(op->name + ".max")) {
            bounds.pop(op->name + ".max");
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
