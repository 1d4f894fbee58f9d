// What is put back is what was read of the key, unchanged.
// wrong: undecided

class Right : public IRMutator {
    Scope<Interval> bounds;

    Stmt visit(const For *op) {
        if (!bounds.contains(op->name)) {
            return op;
        }
        Interval held = bounds.get(op->name);
        bounds.pop(op->name);
        Stmt body = mutate(op->body);
        bounds.push(op->name, held);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<Interval> bounds;

    Stmt visit(const For *op) {
        if (!bounds.contains(op->name)) {
            return op;
        }
        Interval held = bounds.get(op->name);
        held.max = op->min;
        bounds.pop(op->name);
        Stmt body = mutate(op->body);
        bounds.push(op->name, held);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
