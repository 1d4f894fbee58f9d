// A variable has the type of the value that is bound to its name.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (op->type == Int(32)) {
            std::string name = unique_name('t');
            Expr var = Variable::make(Int(32), name);
            return Let::make(name, op->a, Sub::make(var, op->b));
        }
        return op;
    }
};

class Wrong : public IRMutator {
    using IRMutator::visit;
    Expr visit(const Sub *op) override {
        if (op->type == Int(32)) {
            std::string name = unique_name('t');
            Expr var = Variable::make(Int(64), name);
            return Let::make(name, op->a, Sub::make(cast(Int(32), var), op->b));
        }
        return op;
    }
};
