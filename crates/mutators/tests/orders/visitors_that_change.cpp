// Visitors that change something by what they hold, and flags of visitors that know no evidence.
// profile: halide

struct Box { int *p; };

class Plain : public IRVisitor {
    using IRVisitor::visit;
    int n;
    void visit(const Variable *op) override { n = 5; }
public:
    Plain(int n) : n(n) {}
};

class Base : public IRVisitor {
    using IRVisitor::visit;
protected:
    int &n;
    Base(int &n) : n(n) {}
    void visit(const Variable *op) override { n = 5; }
};

class Derived : public Base {
public:
    Derived(int &n) : Base(n) {}
};

class Boxed : public IRVisitor {
    using IRVisitor::visit;
    Box n;
    void visit(const Variable *op) override { *n.p = 5; }
public:
    Boxed(Box n) : n(n) {}
};

class Called : public IRVisitor {
    using IRVisitor::visit;
    std::function<void()> f;
    void visit(const Variable *op) override { f(); }
public:
    Called(std::function<void()> f) : f(f) {}
};

class Made : public IRVisitor {
    using IRVisitor::visit;
    void visit(const Variable *op) override {}
public:
    Made(int &n) { n = 5; }
};

class Reads : public IRVisitor {
    using IRVisitor::visit;
    std::vector<int> &n;
    void visit(const Variable *op) override { *n.begin() = 5; }
public:
    Reads(std::vector<int> &n) : n(n) {}
};

class Shown : public IRVisitor {
    using IRVisitor::visit;
public:
    int &n;
    void visit(const Variable *op) override { n = 5; }
    Shown(int &n) : n(n) {}
};

class Right : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Plain v(k);
        op->a.accept(&v);
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongBase : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Derived v(k);
        op->a.accept(&v);
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongBox : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Box b{&k};
        Boxed v(b);
        op->a.accept(&v);
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongCall : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Called v([&]() { k = 5; });
        op->a.accept(&v);
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongConstructor : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Made v(k);
        if (k == 5) { return op->a; }
        return op;
    }
};

class Given : public IRVisitor {
    using IRVisitor::visit;
    static int bump(int &n) { n = 5; return n; }
    int m;
    void visit(const Variable *op) override {}
public:
    Given(int &n) : m(bump(n)) {}
};

class WrongInitializer : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Given v(k);
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongReference : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Shown v(k);
        int &r = v.n;
        r = 5;
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongIterator : public IRMutator {
    Expr visit(const Sub *op) override {
        std::vector<int> k = {1};
        Reads v(k);
        op->a.accept(&v);
        if (k[0] == 5) { return op->a; }
        return op;
    }
};

class WrongMember : public IRMutator {
    Expr visit(const Sub *op) override {
        int k = 1;
        Shown v(k);
        v.n = 5;
        if (k == 5) { return op->a; }
        return op;
    }
};

class WrongPointer : public IRMutator {
    int bump(std::pair<int, int> &r) { r.first = 5; return 0; }
    int sum(int x, int y) { return x + y; }
    Expr visit(const Sub *node) override {
        std::pair<int, int> q = {1, 2};
        std::pair<int, int> *op = &q;
        if (sum(op->first, bump(q)) == 5) { return node->a; }
        return node;
    }
};

class WrongStructure : public IRMutator {
    Expr visit(const Sub *op) override {
        { struct S { uint8_t k; }; S t{1}; }
        struct S { int k; };
        S s{300};
        if (s.k == 300) { return op->a; }
        return op;
    }
};
