// A value is read from a variable only where the variable still has it.
// pass: UnifyDuplicateLets
// profile: halide-to-hardware

// Within an expression, a variable keeps the value that it was bound to.
class RightBinding : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        bool is_new = true;
        map<Expr, string, IRDeepCompare>::iterator known = scope.find(value);
        if (known == scope.end()) {
            scope[value] = op->name;
        } else {
            is_new = false;
            value = Variable::make(value.type(), known->second);
            rewrites[op->name] = known->second;
        }
        Expr body = mutate(op->body);
        if (is_new) {
            scope.erase(value);
        } else {
            rewrites.erase(op->name);
        }
        return Let::make(op->name, value, body);
    }

    Expr visit(const Variable *op) override {
        map<string, string>::iterator known = rewrites.find(op->name);
        if (known != rewrites.end()) {
            return Variable::make(op->type, known->second);
        }
        return op;
    }
};

// A value that no store changes is the same everywhere.
class RightSteady : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Stmt visit(const LetStmt *op) override {
        Expr value = mutate(op->value);
        bool is_put = is_pure(value);
        if (is_put) {
            scope[value] = op->name;
        }
        Stmt body = mutate(op->body);
        if (is_put) {
            scope.erase(value);
        }
        return LetStmt::make(op->name, value, body);
    }
};

// A store in the body may change what the value reads.
class WrongRead : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Stmt visit(const LetStmt *op) override {
        Expr value = mutate(op->value);
        map<Expr, string, IRDeepCompare>::iterator known = scope.find(value);
        if (known == scope.end()) {
            scope[value] = op->name;
            Stmt body = mutate(op->body);
            scope.erase(value);
            return LetStmt::make(op->name, value, body);
        }
        Expr same = Variable::make(value.type(), known->second);
        return LetStmt::make(op->name, same, mutate(op->body));
    }
};

// A binding within the value takes back that the value reads memory.
class WrongReset : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;
    bool reads;

    Expr visit(const Load *op) override {
        reads = true;
        return IRMutator::visit(op);
    }

    Expr visit(const Let *op) override {
        reads = false;
        return IRMutator::visit(op);
    }

    Stmt visit(const LetStmt *op) override {
        reads = false;
        Expr value = mutate(op->value);
        bool is_put = false;
        if (!reads) {
            map<Expr, string, IRDeepCompare>::iterator known = scope.find(value);
            if (known == scope.end()) {
                scope[value] = op->name;
                is_put = true;
            } else {
                value = Variable::make(value.type(), known->second);
            }
        }
        Stmt body = mutate(op->body);
        if (is_put) {
            scope.erase(value);
        }
        return LetStmt::make(op->name, value, body);
    }
};

// The variable does not have the value under which it is kept.
class WrongValue : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        Expr other = value + 1;
        scope[other] = op->name;
        Expr body = mutate(op->body);
        scope.erase(other);
        return Let::make(op->name, value, body);
    }
};

// What is found for one expression is returned for another.
class WrongKey : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Add *op) override {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        map<Expr, string, IRDeepCompare>::iterator known = scope.find(a);
        if (known != scope.end()) {
            return Variable::make(op->type, known->second);
        }
        return Add::make(a, b);
    }
};

// The new name is that of a variable with another value.
class WrongName : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        map<Expr, string, IRDeepCompare>::iterator known = scope.find(value + 1);
        bool is_put = known != scope.end();
        if (is_put) {
            rewrites[op->name] = known->second;
        }
        Expr body = mutate(op->body);
        if (is_put) {
            rewrites.erase(op->name);
        }
        return Let::make(op->name, value, body);
    }
};

// The entry outlives the variable.
class WrongEnd : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        scope[value] = op->name;
        Expr body = mutate(op->body);
        return Let::make(op->name, value, body);
    }
};

// The entry is changed through an iterator.
class WrongChange : public IRMutator {
    map<Expr, string, IRDeepCompare> scope;
    map<string, string> rewrites;

    Expr visit(const Let *op) override {
        Expr value = mutate(op->value);
        map<string, string>::iterator known = rewrites.begin();
        rewrites.clear();
        rewrites.swap(others);
        Expr body = mutate(op->body);
        return Let::make(op->name, value, body);
    }

    map<string, string> others;
};
