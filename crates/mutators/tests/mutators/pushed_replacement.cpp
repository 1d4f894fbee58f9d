// What is pushed as the replacement of a variable equals the variable.
// wrong: undecided

struct VarInfo {
    Expr replacement;
    int old_uses, new_uses;
};

class Right : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Let *op) {
        Expr value = mutate(op->value);
        VarInfo info;
        info.replacement = value;
        var_info.push(op->name, info);
        Expr body = mutate(op->body);
        var_info.pop(op->name);
        return Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Let *op) {
        Expr value = mutate(op->value);
        VarInfo info;
        info.replacement = value + 1;
        var_info.push(op->name, info);
        Expr body = mutate(op->body);
        var_info.pop(op->name);
        return Let::make(op->name, value, body);
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
