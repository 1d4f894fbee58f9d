// A count of uses that was changed is any number when it is read again.
// wrong: undecided

struct VarInfo {
    Expr replacement;
    int old_uses, new_uses;
};

class Right : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Variable *op) {
        if (!var_info.contains(op->name)) {
            return op;
        }
        VarInfo &info = var_info.ref(op->name);
        int before = info.new_uses;
        info.new_uses++;
        if (before < info.new_uses && info.replacement.defined()) {
            return info.replacement;
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Scope<VarInfo> var_info;

    Expr visit(const Variable *op) {
        if (!var_info.contains(op->name)) {
            return op;
        }
        VarInfo &info = var_info.ref(op->name);
        int before = info.new_uses;
        info.new_uses++;
        if (before < info.new_uses) {
            return make_zero(op->type);
        }
        return op;
    }
};
