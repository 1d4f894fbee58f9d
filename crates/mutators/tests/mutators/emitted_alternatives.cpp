// The alternatives of an if are printed under the condition that is theirs.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const IfThenElse *op) {
        std::string condition = print_expr(op->condition);
        stream << "if (" << condition << ")\n";
        open_scope();
        op->then_case.accept(this);
        close_scope("if " + condition);
        if (op->else_case.defined()) {
            stream << "else\n";
            open_scope();
            op->else_case.accept(this);
            close_scope("else");
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const IfThenElse *op) {
        std::string condition = print_expr(op->condition);
        stream << "if (" << condition << ")\n";
        open_scope();
        op->then_case.accept(this);
        close_scope("if " + condition);
        if (op->else_case.defined()) {
            stream << "else\n";
            open_scope();
            op->then_case.accept(this);
            close_scope("else");
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
