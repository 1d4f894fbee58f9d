// What follows a loop with more paths than are followed is not passed over.
// wrong: unsupported
// profile: halide

class Right : public IRMutator {
    std::vector<std::string> names;

    Stmt visit(const Block *op) override {
        bool a = false;
        for (const auto &name : names) {
            if (ends_with(name, "a")) {
                a = !a;
            }
        }
        return op;
    }
};

class Wrong : public IRMutator {
    std::vector<std::string> names;

    Stmt visit(const Block *op) override {
        if (names.empty()) {
            return op;
        }
        bool a = false;
        bool b = false;
        bool c = false;
        bool d = false;
        bool e = false;
        bool f = false;
        bool g = false;
        bool h = false;
        bool i = false;
        bool j = false;
        bool k = false;
        bool l = false;
        bool m = false;
        bool n = false;
        bool o = false;
        bool p = false;
        bool q = false;
        bool r = false;
        for (const auto &name : names) {
            if (ends_with(name, "a")) {
                a = !a;
            }
            if (ends_with(name, "b")) {
                b = !b;
            }
            if (ends_with(name, "c")) {
                c = !c;
            }
            if (ends_with(name, "d")) {
                d = !d;
            }
            if (ends_with(name, "e")) {
                e = !e;
            }
            if (ends_with(name, "f")) {
                f = !f;
            }
            if (ends_with(name, "g")) {
                g = !g;
            }
            if (ends_with(name, "h")) {
                h = !h;
            }
            if (ends_with(name, "i")) {
                i = !i;
            }
            if (ends_with(name, "j")) {
                j = !j;
            }
            if (ends_with(name, "k")) {
                k = !k;
            }
            if (ends_with(name, "l")) {
                l = !l;
            }
            if (ends_with(name, "m")) {
                m = !m;
            }
            if (ends_with(name, "n")) {
                n = !n;
            }
            if (ends_with(name, "o")) {
                o = !o;
            }
            if (ends_with(name, "p")) {
                p = !p;
            }
            if (ends_with(name, "q")) {
                q = !q;
            }
            if (ends_with(name, "r")) {
                r = !r;
            }
        }
        return Block::make(op->rest, op->first);
    }
};
