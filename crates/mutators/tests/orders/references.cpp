// Places that are changed under another name. Each `Wrong` keeps the value only if the change is
// missed.
// profile: halide

#define REF Expr &
using Place = Expr &;
template<typename T> using Ref = T &;
template<typename T> struct Trait { using place = T &; };
void bump(Expr &x) { x = x + 1; }
void keep(Expr &x) {}
void bump_back(Expr &x) { Expr y = x; x = x + 1; x = y; }
void bump_alias(Place x) { x = x + 1; }
void bump_macro(REF x) { x = x + 1; }
template<typename U> void bump_any(U x) { x = x + 1; }
void bump_of(Ref<Expr> x) { x = x + 1; }
void bump_trait(Trait<Expr>::place x) { x = x + 1; }
void bump_computed(std::add_lvalue_reference_t<Expr> x) { x = x + 1; }
void bump_array(Expr x[]) { x[0] = x[0] + 1; }
void run_first(void (*keep)(Expr &), Expr &x) { keep(x); }

class RightByValue : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        Expr x = a;
        x = x + 1;
        return Sub::make(a, b);
    }
};

class RightByReference : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_back(a);
        return Sub::make(a, b);
    }
};

class WrongAlias : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_alias(a);
        return Sub::make(a, b);
    }
};

class WrongTypedef : public IRMutator {
    typedef Expr &Held;
    void bump_held(Held x) { x = x + 1; }
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_held(a);
        return Sub::make(a, b);
    }
};

class WrongMacro : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_macro(a);
        return Sub::make(a, b);
    }
};

class WrongTemplate : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_any<Expr &>(a);
        return Sub::make(a, b);
    }
};

class RightTemplate : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_any<Expr>(a);
        return Sub::make(a, b);
    }
};

class WrongTemplateAlias : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_of(a);
        return Sub::make(a, b);
    }
};

class WrongTrait : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_trait(a);
        return Sub::make(a, b);
    }
};

class WrongComputed : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_computed(a);
        return Sub::make(a, b);
    }
};

class WrongDecltype : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        decltype((a)) x = a;
        x = x + 1;
        return Sub::make(a, b);
    }
};

class WrongLocalAlias : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        using Near = Expr &;
        Near x = a;
        x = x + 1;
        return Sub::make(a, b);
    }
};

class WrongLambda : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        using Near = Expr &;
        auto inc = [&](Near x) { x = x + 1; };
        inc(a);
        return Sub::make(a, b);
    }
};

class WrongLoop : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        using Near = Expr &;
        std::vector<Expr> v = {a, b, b};
        for (Near x : v) {
            x = x + 1;
        }
        return Sub::make(v[0], v[1]);
    }
};

class WrongArray : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        bump_array(&a);
        return Sub::make(a, b);
    }
};

class WrongFunction : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        run_first(bump, a);
        return Sub::make(a, b);
    }
};

class RightElement : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {b, b, b};
        for (Expr &e : v) {
            e = a;
        }
        return Sub::make(v[1], b);
    }
};

class WrongElement : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::vector<Expr> v = {a};
        Expr x;
        for (const Expr &e : v) {
            v[0] = a + 1;
            x = e;
        }
        return Sub::make(x, b);
    }
};

class RightPart : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::pair<Expr, Expr> v = {b, b};
        const Expr &r = v.first;
        v.first = a;
        return Sub::make(r, v.second);
    }
};

class WrongPart : public IRMutator {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a), b = mutate(op->b);
        std::pair<Expr, Expr> v = {a, b};
        const Expr &r = v.first;
        v.first = a + 1;
        return Sub::make(r, v.second);
    }
};
