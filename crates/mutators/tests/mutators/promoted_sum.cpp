// A sum of narrow numbers is an int in C until it is assigned.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;

    void visit(const LT *op) {
        std::string a = print_expr(op->a);
        std::string b = print_expr(op->b);
        std::string zero = "0";
        print_assignment(op->type, a + " < " + b);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const LT *op) {
        std::string a = print_expr(op->a);
        std::string b = print_expr(op->b);
        std::string zero = "0";
        print_assignment(op->type, a + " - " + b + " < " + zero);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
