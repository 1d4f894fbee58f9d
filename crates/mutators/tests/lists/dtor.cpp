// The class of an object runs code when it is made, or where it ends.
// wrong: unsupported
// profile: halide-to-hardware

struct G {
    int &n;
    ~G() {
        n++;
    }
};

class Right : public IRMutator {
    Scope<int> marks;
    Stmt visit(const LetStmt *op) override {
        marks.push(op->name, 1);
        Stmt body = mutate(op->body);
        marks.pop(op->name);
        return LetStmt::make(op->name, mutate(op->value), body);
    }
    Stmt visit(const For *op) override {
        Stmt body = mutate(op->body);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};

class Wrong : public IRMutator {
    Scope<int> marks;
    Stmt visit(const LetStmt *op) override {
        marks.push(op->name, 1);
        Stmt body = mutate(op->body);
        marks.pop(op->name);
        return LetStmt::make(op->name, mutate(op->value), body);
    }
    Stmt visit(const For *op) override {
        int n = 0;
        {
            G g{n};
        }
        if (n == 1) {
            return Evaluate::make(0);
        }
        Stmt body = mutate(op->body);
        return For::make(op->name, op->min, op->extent, op->for_type, op->device_api, body);
    }
};
