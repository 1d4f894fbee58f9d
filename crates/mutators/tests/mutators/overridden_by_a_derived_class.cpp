// A method that an object of a derived class may have another one of is not followed.
// wrong: unsupported

class Right : public IRMutator {
public:
    virtual bool drops() {
        return false;
    }

    Expr visit(const Sub *op) {
        if (drops()) {
            return op->a;
        }
        return op;
    }
};

class Other : public Right {
    bool keeps() {
        return false;
    }
};

class Wrong : public IRMutator {
public:
    virtual bool drops() {
        return false;
    }

    Expr visit(const Sub *op) {
        if (drops()) {
            return op->a;
        }
        return op;
    }
};

class Drops : public Wrong {
    bool drops() override {
        return true;
    }
};
