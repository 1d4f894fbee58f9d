// What is printed is bound as C binds it.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;

    void visit(const Select *op) {
        std::string condition = print_expr(op->condition);
        std::string a = print_expr(op->true_value);
        std::string b = print_expr(op->false_value);
        print_assignment(op->type, "(" + condition + ") ? " + a + " : " + b);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Select *op) {
        std::string condition = print_expr(op->condition);
        std::string a = print_expr(op->true_value);
        std::string b = print_expr(op->false_value);
        print_assignment(op->type, "1 - " + condition + " ? " + a + " : " + b + " + 0");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
