// What has effects is computed once.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Evaluate *op) {
        if (is_const(op->value)) return;
        std::string value = print_expr(op->value);
        stream << "(void)" << value << ";\n";
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Evaluate *op) {
        if (is_const(op->value)) return;
        std::string value = print_expr(op->value);
        print_expr(op->value);
        stream << "(void)" << value << ";\n";
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
