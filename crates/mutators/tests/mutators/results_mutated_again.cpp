// What is made from results is mutated again: the new sum is less than the input in one order.
// wrong: partial

class Right : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *sum = a.as<Add>();
        if (sum && sum->b.as<IntImm>() && !b.as<IntImm>() && op->type == Int(32)) {
            return mutate(Add::make(Add::make(sum->a, b), sum->b));
        }
        return Add::make(a, b);
    }
};

class Wrong : public IRMutator {
    Expr visit(const Add *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *sum = a.as<Add>();
        if (sum && b.as<IntImm>() && !sum->b.as<IntImm>() && op->type == Int(32)) {
            return mutate(Add::make(Add::make(sum->a, b), sum->b));
        }
        return Add::make(a, b);
    }
};
