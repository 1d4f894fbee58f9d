// References to parts of something that changes while they are used.
// profile: halide

class RightFunction : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        auto take = [&](const Expr &e) { v[1] = v[0]; return Sub::make(e, op->b); };
        return take(v[0]);
    }
};

class WrongFunction : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        auto take = [&](const Expr &e) { v[0] = v[1]; return Sub::make(e, op->b); };
        return take(v[0]);
    }
};

class WrongEnd : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->b, op->a};
        auto take = [&](const Expr &e) { v[1] = v[0]; return Sub::make(e, op->b); };
        return take(v.back());
    }
};

class WrongPair : public IRMutator {
    Expr visit(const Sub *op) override {
        std::pair<Expr, Expr> p = {op->a, op->b};
        auto take = [&](const Expr &e) { p.first = p.second; return Sub::make(e, op->b); };
        return take(p.first);
    }
};

class WrongComputedIndex : public IRMutator {
    Expr first(const Expr &e, std::vector<Expr> &v) {
        v[0] = v[1];
        return e;
    }
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        int i = 0;
        return Sub::make(first(v[i + 0], v), op->b);
    }
};

class WrongChoice : public IRMutator {
    Expr first(const Expr &e, std::vector<Expr> &v) {
        v[0] = v[1];
        return e;
    }
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        return Sub::make(first(true ? v[0] : v[1], v), op->b);
    }
};

class WrongLocal : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        const Expr &e = v[1 - 1];
        v[0] = v[1];
        return Sub::make(e, op->b);
    }
};

class RightLocal : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->b, op->b};
        const Expr &e = v[1 - 1];
        v[0] = op->a;
        return Sub::make(e, op->b);
    }
};

class WrongAssigned : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr q = op->b;
        auto take = [&](const Expr &e) { q = op->b; return Sub::make(e, op->b); };
        return take(q = op->a);
    }
};

class WrongGet : public IRMutator {
    Expr visit(const Sub *op) override {
        std::pair<Expr, Expr> p = {op->a, op->b};
        auto take = [&](const Expr &e) { p.first = p.second; return Sub::make(e, op->b); };
        return take(std::get<0>(p));
    }
};

class WrongMoved : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b};
        auto take = [&](const Expr &e) { v[0] = v[1]; return Sub::make(e, op->b); };
        return take(std::move(v[0]));
    }
};

class WrongGiven : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr q = op->a;
        auto get = [&]() -> Expr & { return q; };
        auto take = [&](const Expr &e) { q = op->b; return Sub::make(e, op->b); };
        return take(get());
    }
};

// With a new value on one side, a choice copies the other one.

class RightCopy : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr q = op->a;
        auto take = [&](const Expr &e) { q = op->b; return Sub::make(e, op->b); };
        return take(is_zero(op->b) ? q : Expr(op->a));
    }
};

class WrongCopy : public IRMutator {
    Expr visit(const Sub *op) override {
        Expr q = op->b;
        auto take = [&](const Expr &e) { q = op->a; return Sub::make(e, op->b); };
        return take(is_zero(op->b) ? q : Expr(op->a));
    }
};

// Elements move with the vector, or end with it.

class WrongSwap : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->b, op->b}, w = {op->a, op->b};
        auto take = [&](const Expr &e) { std::swap(v, w); return Sub::make(e, op->b); };
        return take(v[0]);
    }
};

class WrongGrowth : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a};
        auto take = [&](const Expr &e) { v.push_back(op->b); return Sub::make(e, op->b); };
        return take(v[0]);
    }
};

class WrongWhole : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a}, w = {op->a, op->b};
        const Expr &e = v[0];
        v = w;
        return Sub::make(e, op->b);
    }
};

// An element of this vector is no `bool` in a place.

class WrongBit : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<bool> v = {true};
        auto holds = v[0];
        v[0] = false;
        return holds ? op->a : Sub::make(op->a, op->b);
    }
};

class WrongReferenceToBit : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<bool> v = {true};
        const bool &holds = v[0];
        v[0] = false;
        return holds ? op->a : Sub::make(op->a, op->b);
    }
};
