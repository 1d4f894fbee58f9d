// A count of uses in an entry of a scope changes; the entry's replacement does not.
// wrong: wrong

struct VarInfo {
    Expr replacement;
    int old_uses, new_uses;
};

class Right : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Variable *op) {
        if (var_info.contains(op->name)) {
            VarInfo &info = var_info.ref(op->name);
            if (info.replacement.defined()) {
                info.new_uses++;
                return info.replacement;
            }
            info.old_uses++;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Variable *op) {
        if (var_info.contains(op->name)) {
            VarInfo &info = var_info.ref(op->name);
            info.old_uses++;
            return op;
        }
        return make_zero(op->type);
    }
};
