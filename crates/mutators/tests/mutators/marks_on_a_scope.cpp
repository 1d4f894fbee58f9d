// A mark that another node takes away may stay; one that nothing takes away may not.
// wrong: scope

class Right : public IRMutator {
    Scope<int> open;

    Stmt visit(const Store *op) {
        if (is_zero(op->value)) {
            open.push(op->name, 1);
        } else if (open.contains(op->name)) {
            open.pop(op->name);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<int> open;

    Stmt visit(const Store *op) {
        if (is_zero(op->value)) {
            open.push(op->name, 1);
            open.push(op->name, 2);
        }
        if (open.contains(op->name)) {
            open.pop(op->name);
        }
        return op;
    }
};
