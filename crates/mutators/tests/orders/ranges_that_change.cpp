// Loops over elements that their bodies change: each element is read when its iteration begins.
// profile: halide

class RightElements : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b}, seen;
        for (Expr e : v) {
            v[0] = op->b;
            seen.push_back(e);
        }
        return Sub::make(seen[0], seen[1]);
    }
};

class WrongElements : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b}, seen;
        for (Expr e : v) {
            v[1] = op->a;
            seen.push_back(e);
        }
        return Sub::make(seen[0], seen[1]);
    }
};

class WrongByAnotherName : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b}, seen;
        std::vector<Expr> &other = v;
        auto change = [&]() { other[1] = op->a; };
        for (const auto e : v) {
            change();
            seen.push_back(e);
        }
        return Sub::make(seen[0], seen[1]);
    }
};

class WrongLength : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->b}, seen;
        for (Expr e : v) {
            seen.push_back(e);
            v.push_back(e);
            v.pop_back();
        }
        return Sub::make(seen[0], op->b);
    }
};

class RightNumbers : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<int> v = {1, 2};
        int sum = 0;
        for (int k : v) {
            v[1] = 5;
            sum += k;
        }
        return sum == 6 ? Sub::make(op->a, op->b) : Sub::make(op->b, op->a);
    }
};

class WrongSwap : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->a}, w = {op->b, op->b}, seen;
        for (Expr e : v) {
            v.swap(w);
            seen.push_back(e);
        }
        return Sub::make(seen[0], seen[1]);
    }
};

class WrongMove : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<Expr> v = {op->a, op->a}, w = {op->b, op->b}, seen;
        for (Expr e : v) {
            v = w;
            seen.push_back(e);
        }
        return Sub::make(seen[0], seen[1]);
    }
};
