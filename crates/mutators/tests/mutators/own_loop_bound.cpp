// A loop that the mutator makes does not show that its bounds are the same in any memory.
// wrong: wrong
// profile: halide

class Right : public IRMutator {
    Stmt visit(const Block *op) override {
        const Store *s = op->first.as<Store>();
        if (s && is_const_one(s->predicate) && s->value.type() == Int(32)) {
            std::string t = unique_name('t');
            Expr v = Variable::make(Int(32), t);
            Stmt first = Store::make(s->name, v, s->index, s->param, s->predicate, s->alignment);
            return Block::make(LetStmt::make(t, s->value, first), op->rest);
        }
        return op;
    }
};

class Wrong : public IRMutator {
    Stmt visit(const Block *op) override {
        const Store *s = op->rest.as<Store>();
        if (s && is_const_one(s->predicate) && s->value.type() == Int(32)) {
            Stmt dummy = For::make("dummy", 0, s->value, ForType::Serial, Partition::Auto,
                                   DeviceAPI::None, Evaluate::make(0));
            std::string t = unique_name('t');
            Expr v = Variable::make(Int(32), t);
            Stmt rest = Store::make(s->name, v, s->index, s->param, s->predicate, s->alignment);
            return LetStmt::make(t, s->value, Block::make(op->first, rest));
        }
        return op;
    }
};
