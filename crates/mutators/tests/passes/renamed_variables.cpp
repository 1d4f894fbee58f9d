// What a class gives new names keeps its meaning, also where two binders have one name.
// pass: UniquifyVariableNames
// profile: halide-hls
// right: undecided
// refuted: WrongEnd WrongValue WrongCapture WrongFree

// The inner of two binders of one name gets a number, and its end takes the number away.
class RightCount : public IRMutator {
    map<string, int> depth;

    string named(string name) {
        if (depth.find(name) == depth.end() || depth[name] == 0) {
            return name;
        }
        std::ostringstream text;
        text << name << "_" << depth[name];
        return text.str();
    }

    void visit(const Variable *op) {
        string name = named(op->name);
        if (name != op->name) {
            expr = Variable::make(op->type, name);
        } else {
            expr = op;
        }
    }

    void visit(const Let *op) {
        Expr value = mutate(op->value);
        bool is_outer = depth.find(op->name) == depth.end();
        if (is_outer) {
            depth[op->name] = 0;
        } else {
            depth[op->name]++;
        }
        string name = named(op->name);
        Expr body = mutate(op->body);
        if (is_outer) {
            depth.erase(op->name);
        } else {
            depth[op->name]--;
        }
        expr = Let::make(name, value, body);
    }
};

// After a binder, a variable of its name that is free has the number -1.
class WrongEnd : public IRMutator {
    map<string, int> depth;

    string named(string name) {
        if (depth.find(name) == depth.end() || depth[name] == 0) {
            return name;
        }
        std::ostringstream text;
        text << name << "_" << depth[name];
        return text.str();
    }

    void visit(const Variable *op) {
        string name = named(op->name);
        if (name != op->name) {
            expr = Variable::make(op->type, name);
        } else {
            expr = op;
        }
    }

    void visit(const Let *op) {
        Expr value = mutate(op->value);
        if (depth.find(op->name) == depth.end()) {
            depth[op->name] = 0;
        } else {
            depth[op->name]++;
        }
        string name = named(op->name);
        Expr body = mutate(op->body);
        depth[op->name]--;
        expr = Let::make(name, value, body);
    }
};

// The value of a binder is outside its scope, but gets the new name here.
class WrongValue : public IRMutator {
    map<string, int> depth;

    string named(string name) {
        if (depth.find(name) == depth.end() || depth[name] == 0) {
            return name;
        }
        std::ostringstream text;
        text << name << "_" << depth[name];
        return text.str();
    }

    void visit(const Variable *op) {
        string name = named(op->name);
        if (name != op->name) {
            expr = Variable::make(op->type, name);
        } else {
            expr = op;
        }
    }

    void visit(const LetStmt *op) {
        bool is_outer = depth.find(op->name) == depth.end();
        if (is_outer) {
            depth[op->name] = 0;
        } else {
            depth[op->name]++;
        }
        Expr value = mutate(op->value);
        string name = named(op->name);
        Stmt body = mutate(op->body);
        if (is_outer) {
            depth.erase(op->name);
        } else {
            depth[op->name]--;
        }
        stmt = LetStmt::make(name, value, body);
    }
};

// All binders within one another get one name, which captures the outer ones.
class WrongCapture : public IRMutator {
    map<int, string> first;
    map<string, string> names;

    void visit(const Variable *op) {
        if (names.find(op->name) != names.end()) {
            expr = Variable::make(op->type, names[op->name]);
        } else {
            expr = op;
        }
    }

    void visit(const For *op) {
        Expr min = mutate(op->min);
        Expr extent = mutate(op->extent);
        string name = op->name;
        bool is_inner = first.find(0) != first.end();
        if (is_inner) {
            name = first[0];
        } else {
            first[0] = name;
        }
        names[op->name] = name;
        Stmt body = mutate(op->body);
        names.erase(op->name);
        if (!is_inner) {
            first.erase(0);
        }
        stmt = For::make(name, min, extent, op->for_type, op->device_api, body);
    }
};

// A free variable gets another name.
class WrongFree : public IRMutator {
    void visit(const Variable *op) {
        std::ostringstream text;
        text << op->name << "_0";
        expr = Variable::make(op->type, text.str());
    }
};
