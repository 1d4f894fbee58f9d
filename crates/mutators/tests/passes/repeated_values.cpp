// What is known of a value may end where a store comes in between.
// pass: SharesValues
// profile: halide-to-hardware
// right: undecided
// refuted: WrongReset WrongRead WrongOwn WrongName WrongMark

// A value that does not read memory is the same everywhere.
class RightReset : public IRMutator {
    map<Expr, string, IRDeepCompare> known;
    bool reads;

    Stmt visit(const LetStmt *op) override {
        reads = false;
        Expr value = mutate(op->value);
        bool is_new = false;
        if (!reads) {
            map<Expr, string, IRDeepCompare>::iterator found = known.find(value);
            if (found == known.end()) {
                known[value] = op->name;
                is_new = true;
            } else {
                value = Variable::make(value.type(), found->second);
            }
        }
        Stmt body = mutate(op->body);
        if (is_new) {
            known.erase(value);
        }
        return LetStmt::make(op->name, value, body);
    }

    Expr visit(const Load *op) override {
        reads = true;
        return IRMutator::visit(op);
    }

    Expr visit(const Let *op) override {
        bool before = reads;
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        reads = reads || before;
        return Let::make(op->name, value, body);
    }
};

// A binding within the value takes back that the value reads memory.
class WrongReset : public IRMutator {
    map<Expr, string, IRDeepCompare> known;
    bool reads;

    Stmt visit(const LetStmt *op) override {
        reads = false;
        Expr value = mutate(op->value);
        bool is_new = false;
        if (!reads) {
            map<Expr, string, IRDeepCompare>::iterator found = known.find(value);
            if (found == known.end()) {
                known[value] = op->name;
                is_new = true;
            } else {
                value = Variable::make(value.type(), found->second);
            }
        }
        Stmt body = mutate(op->body);
        if (is_new) {
            known.erase(value);
        }
        return LetStmt::make(op->name, value, body);
    }

    Expr visit(const Load *op) override {
        reads = true;
        return IRMutator::visit(op);
    }

    Expr visit(const Let *op) override {
        reads = false;
        Expr value = mutate(op->value);
        Expr body = mutate(op->body);
        return Let::make(op->name, value, body);
    }
};

// Any value is taken to be the same everywhere.
class WrongRead : public IRMutator {
    map<Expr, string, IRDeepCompare> known;

    Stmt visit(const LetStmt *op) override {
        Expr value = mutate(op->value);
        map<Expr, string, IRDeepCompare>::iterator found = known.find(value);
        if (found != known.end()) {
            value = Variable::make(value.type(), found->second);
            return LetStmt::make(op->name, value, mutate(op->body));
        }
        known[value] = op->name;
        Stmt body = mutate(op->body);
        known.erase(value);
        return LetStmt::make(op->name, value, body);
    }
};

// The same, but the class's own `mutate` finds the value.
class WrongOwn : public IRMutator {
    map<Expr, string, IRDeepCompare> known;

public:
    Expr mutate(const Expr &e) override {
        if (e.defined()) {
            map<Expr, string, IRDeepCompare>::iterator found = known.find(e);
            if (found != known.end()) {
                return Variable::make(e.type(), found->second);
            }
            return IRMutator::mutate(e);
        }
        return Expr();
    }

    Stmt visit(const LetStmt *op) override {
        Expr value = mutate(op->value);
        known[value] = op->name;
        Stmt body = mutate(op->body);
        known.erase(value);
        return LetStmt::make(op->name, value, body);
    }
};

// A number stands for every variable that is bound.
class WrongName : public IRMutator {
    map<string, string> others;

    Stmt visit(const LetStmt *op) override {
        others[op->name] = "other";
        Stmt body = mutate(op->body);
        others.erase(op->name);
        return LetStmt::make(op->name, op->value, body);
    }

    Expr visit(const Variable *op) override {
        map<string, string>::iterator found = others.find(op->name);
        if (found != others.end()) {
            return 1;
        }
        return op;
    }
};

// New names for all bindings keep the effect, but stores do not.
class WrongStore : public IRMutator {
    map<string, string> names;

    Stmt visit(const LetStmt *op) override {
        Expr value = mutate(op->value);
        string name = unique_name('t');
        names[op->name] = name;
        Stmt body = mutate(op->body);
        names.erase(op->name);
        return LetStmt::make(name, value, body);
    }

    Expr visit(const Variable *op) override {
        map<string, string>::iterator found = names.find(op->name);
        if (found != names.end()) {
            return Variable::make(op->type, found->second);
        }
        return op;
    }

    Stmt visit(const Store *op) override {
        return Store::make(op->name, mutate(op->value) + 1, mutate(op->index), op->param,
                           op->predicate, op->alignment);
    }
};

// A value that reads no buffer that is made around it may read one that is made within.
class WrongMark : public IRMutator {
    map<Expr, string, IRDeepCompare> known;
    string made;
    bool reads;

    Stmt visit(const LetStmt *op) override {
        reads = false;
        Expr value = mutate(op->value);
        bool is_new = false;
        if (!reads) {
            map<Expr, string, IRDeepCompare>::iterator found = known.find(value);
            if (found == known.end()) {
                known[value] = op->name;
                is_new = true;
            } else {
                value = Variable::make(value.type(), found->second);
            }
        }
        Stmt body = mutate(op->body);
        if (is_new) {
            known.erase(value);
        }
        return LetStmt::make(op->name, value, body);
    }

    Expr visit(const Load *op) override {
        reads = reads || op->name == made || starts_with(op->name + ".", made);
        return IRMutator::visit(op);
    }

    Stmt visit(const ProducerConsumer *op) override {
        if (!op->is_producer) {
            return IRMutator::visit(op);
        }
        string outer = made;
        made = op->name;
        Stmt body = mutate(op->body);
        made = outer;
        return ProducerConsumer::make(op->name, op->is_producer, body);
    }
};
