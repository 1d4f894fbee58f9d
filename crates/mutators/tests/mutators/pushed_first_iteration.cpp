// The variable of a loop is its minimum in one iteration only.
// wrong: wrong

struct VarInfo {
    Expr replacement;
};

class Right : public IRMutator {
    Scope<VarInfo> var_info;

    Stmt visit(const For *op) {
        VarInfo info;
        if (is_const(op->min) && is_one(op->extent)) {
            info.replacement = op->min;
        }
        var_info.push(op->name, info);
        Stmt body = mutate(op->body);
        var_info.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;

    Stmt visit(const For *op) {
        VarInfo info;
        if (is_const(op->min)) {
            info.replacement = op->min;
        }
        var_info.push(op->name, info);
        Stmt body = mutate(op->body);
        var_info.pop(op->name);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }

    Expr visit(const Variable *op) {
        if (var_info.contains(op->name)) {
            Expr replacement = var_info.ref(op->name).replacement;
            if (replacement.defined()) {
                return replacement;
            }
        }
        return op;
    }
};
