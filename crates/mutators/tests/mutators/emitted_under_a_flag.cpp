// Another method may set a flag while an operand is printed.
// wrong: undecided

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;
    bool is_quiet;

    void visit(const Evaluate *op) {
        is_quiet = false;
        if (is_quiet) {
            return;
        }
        std::string value = print_expr(op->value);
        stream << "(void)" << value << ";\n";
    }

    void visit(const Add *op) {
        is_quiet = true;
        id = "(" + print_expr(op->a) + " + " + print_expr(op->b) + ")";
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;
    bool is_quiet;

    void visit(const Evaluate *op) {
        is_quiet = false;
        std::string value = print_expr(op->value);
        if (is_quiet) {
            print_expr(op->value);
        }
        stream << "(void)" << value << ";\n";
    }

    void visit(const Add *op) {
        is_quiet = true;
        id = "(" + print_expr(op->a) + " + " + print_expr(op->b) + ")";
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
