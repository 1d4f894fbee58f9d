// What was hidden for a while is put back with its value.
// wrong: undecided

class Right : public IRMutator {
    Scope<Expr> values;

    Stmt visit(const For *op) {
        if (!values.contains(op->name)) {
            return op;
        }
        Expr value = values.get(op->name);
        values.pop(op->name);
        Stmt body = mutate(op->body);
        values.push(op->name, value);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<Expr> values;

    Stmt visit(const For *op) {
        if (!values.contains(op->name)) {
            return op;
        }
        values.pop(op->name);
        Stmt body = mutate(op->body);
        values.push(op->name, Expr());
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
