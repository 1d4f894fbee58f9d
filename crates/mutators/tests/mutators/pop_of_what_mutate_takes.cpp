// What a path knows to be on a scope from which other methods pop is known until it mutates.
// wrong: undecided

class Right : public IRMutator {
    Scope<int> open;

    Stmt visit(const For *op) {
        if (open.contains(op->name)) {
            open.pop(op->name);
        }
        Stmt body = mutate(op->body);
        if (open.contains(op->name)) {
            open.pop(op->name);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }

    void enter(const Allocate *op) {
        open.push(op->name, 1);
    }
};

class Wrong : public IRMutator {
    Scope<int> open;

    Stmt visit(const For *op) {
        bool is_there = open.contains(op->name);
        Stmt body = mutate(op->body);
        if (is_there) {
            open.pop(op->name);
        }
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }

    void enter(const Allocate *op) {
        open.push(op->name, 1);
    }
};
