// What is updated at once is read where it is updated.
// wrong: undecided
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Atomic *op) override {
        Stmt body = mutate(op->body);
        const Store *store = body.as<Store>();
        if (store) {
            std::string name = unique_name('t');
            Expr value = Variable::make(store->value.type(), name);
            Stmt made = Store::make(store->name, value, store->index, store->param,
                                    store->predicate, store->alignment);
            made = LetStmt::make(name, store->value, made);
            return Atomic::make(op->producer_name, op->mutex_name, made);
        }
        return Atomic::make(op->producer_name, op->mutex_name, body);
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Atomic *op) override {
        Stmt body = mutate(op->body);
        const Store *store = body.as<Store>();
        if (store) {
            std::string name = unique_name('t');
            Expr value = Variable::make(store->value.type(), name);
            Stmt made = Store::make(store->name, value, store->index, store->param,
                                    store->predicate, store->alignment);
            made = Atomic::make(op->producer_name, op->mutex_name, made);
            return LetStmt::make(name, store->value, made);
        }
        return Atomic::make(op->producer_name, op->mutex_name, body);
    }
};
