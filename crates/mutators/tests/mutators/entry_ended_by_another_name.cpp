// The pop of one name takes the entry of another one, if both are the same.
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
        const Mod *mod = op->body.as<Mod>();
        const Variable *v = mod ? mod->a.as<Variable>() : nullptr;
        if (!v || !is_const(mod->b, 77)) {
            Expr body = mutate(op->body);
            return Let::make(op->name, value, body);
        }
        VarInfo zero;
        zero.old_uses = 0;
        zero.new_uses = 0;
        zero.replacement = make_zero(op->value.type());
        VarInfo none;
        none.old_uses = 0;
        none.new_uses = 0;
        none.replacement = Expr();
        var_info.push(op->name, zero);
        var_info.push(v->name, none);
        var_info.pop(op->name);
        Expr body = mutate(op->body);
        var_info.pop(v->name);
        return Let::make(op->name, value, body);
    }
};
