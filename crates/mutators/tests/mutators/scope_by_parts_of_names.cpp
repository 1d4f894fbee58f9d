// Two parts of a name need not be one key.
// wrong: undecided

class Right : public IRMutator {
    Scope<int> loops;

    Stmt visit(const For *op) {
        std::string stem = op->name.substr(0, 1);
        loops.push(op->name, 1);
        Stmt body = mutate(op->body);
        loops.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> loops;

    Stmt visit(const For *op) {
        loops.push(op->name.substr(0, 1), 1);
        Stmt body = mutate(op->body);
        loops.pop(op->name.substr(1));
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
