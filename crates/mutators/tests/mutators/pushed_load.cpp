// A load is no replacement of a variable while the body runs, since the body may store.
// wrong: wrong

struct VarInfo {
    Expr replacement;
};

class Right : public IRMutator {
    Scope<VarInfo> var_info;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        VarInfo info;
        if (is_const(value)) {
            info.replacement = value;
        }
        var_info.push(op->name, info);
        Stmt body = mutate(op->body);
        var_info.pop(op->name);
        return LetStmt::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;

    Stmt visit(const LetStmt *op) {
        Expr value = mutate(op->value);
        VarInfo info;
        info.replacement = value;
        var_info.push(op->name, info);
        Stmt body = mutate(op->body);
        var_info.pop(op->name);
        return LetStmt::make(op->name, value, body);
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
