// A condition that is computed before both alternatives is not the same as one that stands in both.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const IfThenElse *op) {
        std::string condition = print_expr(op->condition);
        stream << "if (" << condition << ")\n";
        open_scope();
        print_stmt(op->then_case);
        close_scope("");
        if (op->else_case.defined()) {
            stream << "if (!" << condition << ")\n";
            open_scope();
            print_stmt(op->else_case);
            close_scope("");
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
        std::string condition = PrintExpr(op->condition);
        stream << "if (" << condition << ")\n";
        open_scope();
        print_stmt(op->then_case);
        close_scope("");
        if (op->else_case.defined()) {
            stream << "if (!" << condition << ")\n";
            open_scope();
            print_stmt(op->else_case);
            close_scope("");
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
