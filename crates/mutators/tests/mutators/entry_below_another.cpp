// An entry that tells nothing is popped before the one below it.
// wrong: undecided
// profile: halide-to-hardware

struct VarInfo {
    Expr replacement;
    int old_uses, new_uses;
};

class Right : public IRMutator {
    using IRMutator::visit;
    Scope<VarInfo> var_info;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        VarInfo none;
        none.old_uses = 0;
        none.new_uses = 0;
        none.replacement = Expr();
        var_info.push(op->name, none);
        Expr body = mutate(op->body);
        var_info.pop(op->name);
        return Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Scope<VarInfo> var_info;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        VarInfo zero;
        zero.old_uses = 0;
        zero.new_uses = 0;
        zero.replacement = make_zero(op->value.type());
        VarInfo none;
        none.old_uses = 0;
        none.new_uses = 0;
        none.replacement = Expr();
        var_info.push(op->name, zero);
        var_info.push(op->name, none);
        var_info.pop(op->name);
        Expr body = mutate(op->body);
        var_info.pop(op->name);
        return Let::make(op->name, value, body);
    }
};
