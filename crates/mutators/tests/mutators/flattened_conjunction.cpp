// A conjunction is that of its parts, through a function that calls itself.
// wrong: wrong
// right: bounded

class Right : public IRMutator {
    void flatten(Expr e, std::vector<Expr> *parts) {
        if (const And *both = e.as<And>()) {
            flatten(both->a, parts);
            flatten(both->b, parts);
        } else {
            parts->push_back(e);
        }
    }

    void visit(const And *op, const Expr &self) {
        std::vector<Expr> parts;
        flatten(op->a, &parts);
        flatten(op->b, &parts);
        Expr all = parts[0];
        for (size_t i = 1; i < parts.size(); i++) {
            all = And::make(all, parts[i]);
        }
        expr = all;
    }
};

class Wrong : public IRMutator {
    void flatten(Expr e, std::vector<Expr> *parts) {
        if (const And *both = e.as<And>()) {
            flatten(both->a, parts);
            flatten(both->b, parts);
        } else {
            parts->push_back(e);
        }
    }

    void visit(const And *op, const Expr &self) {
        std::vector<Expr> parts;
        flatten(op->a, &parts);
        flatten(op->b, &parts);
        Expr all = parts[0];
        for (size_t i = 1; i < parts.size(); i++) {
            all = Or::make(all, parts[i]);
        }
        expr = all;
    }
};
