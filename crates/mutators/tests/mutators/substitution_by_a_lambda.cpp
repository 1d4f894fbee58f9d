// A lambda function may have the name of a function of the API.
// wrong: unsupported

static auto graph_substitute = [](const std::string &name, Expr by, Expr within) {
    return by;
};

class Right : public IRMutator {
    Expr visit(const Let *op) {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        return Let::make(op->name, value, body);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Let *op) {
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        return graph_substitute(op->name, value, body);
    }
};
