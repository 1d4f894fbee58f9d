// A call of what is not known is the same with the same arguments.
// wrong: undecided
// right: bounded

class Right : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
        }
        if (args.size() == 2) {
            std::vector<Expr> both;
            both.push_back(args[0]);
            both.push_back(args[1]);
            expr = Call::make(op->type, op->name, both, op->call_type);
        } else {
            expr = self;
        }
    }
};

class Wrong : public IRMutator {
    void visit(const Call *op, const Expr &self) {
        std::vector<Expr> args;
        for (const Expr &e : op->args) {
            args.push_back(mutate(e));
        }
        if (args.size() == 2) {
            std::vector<Expr> both;
            both.push_back(args[1]);
            both.push_back(args[0]);
            expr = Call::make(op->type, op->name, both, op->call_type);
        } else {
            expr = self;
        }
    }
};
