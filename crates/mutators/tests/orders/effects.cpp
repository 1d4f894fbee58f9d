// Effects whose order C++ leaves open, and effects that are easily missed. Each `Wrong` keeps the
// value only in one order, or only if an effect is missed.
// profile: halide

class RightCheck : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0, n = 0;
        CHECK_NE(k = 1, n = 2);
        return k + n == 3 ? Sub::make(a, b) : b;
    }
};

class WrongCheck : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        CHECK_NE(k = 1, k = 2);
        return k == 2 ? Sub::make(a, b) : b;
    }
};

class WrongSwap : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {a, b, b};
        int k = 0;
        std::swap(v[k++], v[k++]);
        return k == 4 ? Sub::make(a, b) : b;
    }
};

class RightSwap : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {b, a, a};
        std::swap(v[0], v[1]);
        return Sub::make(v[0], v[1]);
    }
};

class RightPointer : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        Expr *p = &a;
        auto next = [&]() { k++; return p; };
        Expr &r = *next();
        return k == 1 ? Sub::make(r, b) : b;
    }
};

class WrongPointer : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        Expr *p = &a;
        auto next = [&]() { k++; return p; };
        Expr &r = *next();
        return k == 2 ? Sub::make(r, b) : b;
    }
};

class RightBehindPair : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0, n = 0;
        std::pair<int *, int> p = {&n, 0};
        auto next = [&]() { return k++ == 0 ? a : b; };
        Expr first = next();
        return Sub::make(first, *p.first == 0 ? b : a);
    }
};

class WrongBehindPair : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        std::pair<int *, int> p = {&k, 0};
        auto next = [&]() { return k++ == 0 ? a : b; };
        return Sub::make(next(), *p.first == 1 ? b : a);
    }
};

class WrongBehindVector : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        std::vector<int *> v = {&k};
        auto next = [&]() { k++; return a; };
        return Sub::make(next(), *v[0] == 1 ? b : a);
    }
};

class WrongBehindPointer : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        int *p = &k;
        int **q = &p;
        auto next = [&]() { k++; return a; };
        return Sub::make(next(), **q == 1 ? b : a);
    }
};

class WrongMemberOfVisit : public IRMutator {
    Expr last;
    Expr visit(const Add *op) { last = op->a; return op; }
    Expr zero() { return last - last; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        Expr c = mutate(op->a);
        return Sub::make(mutate(op->a) + zero(), mutate(op->b));
    }
};

class WrongPlaceInMember : public IRMutator {
    int *place;
    Expr visit(const Add *op) { *place = 1; return op; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        place = &k;
        Expr c = mutate(op->a);
        return k == 0 ? Sub::make(c, b) : b;
    }
};

class WrongReceiver : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        auto next = [&]() { k++; return a; };
        return next().same_as(k == 1 ? a : b) ? Sub::make(a, b) : Sub::make(a, b);
    }
};

class WrongLogic : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        auto next = [&](Expr x) { k++; return x; };
        Expr c = next(a) == b && (k == 1 ? a == b : b == b);
        return Select::make(c, Sub::make(a, b), Sub::make(a, b));
    }
};

class RightSum : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 1;
        auto next = [&]() { return 1; };
        k += next();
        return k == 2 ? Sub::make(a, b) : b;
    }
};

class WrongSum : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 1;
        auto next = [&]() { k = 10; return 1; };
        k += next();
        return k == 11 ? Sub::make(a, b) : b;
    }
};

class WrongAssignment : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        k = k++;
        return k == 0 ? Sub::make(a, b) : b;
    }
};

class WrongMessage : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        debug(k++) << "x";
        return k == 0 ? Sub::make(a, b) : b;
    }
};

class WrongMessageOfLambda : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        auto next = [&]() { k++; return 1; };
        debug(1) << next();
        return k == 0 ? Sub::make(a, b) : b;
    }
};

class RightMessageOfCall : public IRMutator {
    int told() { return 1; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        debug(1) << told();
        return k == 0 ? Sub::make(a, b) : b;
    }
};

class WrongMessageOfCall : public IRMutator {
    int count = 0;
    int inner() { count = 1; return 1; }
    int outer() { return inner(); }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        count = 0;
        debug(1) << outer();
        return count == 0 ? Sub::make(a, b) : b;
    }
};

class RightDefault : public IRMutator {
    Expr pick(Expr x, Expr y, int i = 0, int j = 1) { return j - i == 1 ? Sub::make(x, y) : y; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        return pick(a, b);
    }
};

class WrongDefault : public IRMutator {
    int told = 0;
    int next() { return told++; }
    Expr pick(Expr x, Expr y, int i = next(), int j = next()) { return j - i == 1 ? Sub::make(x, y) : y; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        told = 0;
        return pick(a, b);
    }
};

class RightCapture : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        Expr c = a;
        auto f = [&]() { return c; };
        return Sub::make(f(), b);
    }
};

class WrongCapture : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        Expr c = a + 1;
        auto f = [&a = c]() { return a; };
        return Sub::make(f(), b);
    }
};

class WrongEffectOfCapture : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        int k = 0;
        std::vector<Expr> v = {a, b, b};
        auto f = [&x = v[k++]]() { return 0; };
        return k == 0 ? Sub::make(a, b) : b;
    }
};
