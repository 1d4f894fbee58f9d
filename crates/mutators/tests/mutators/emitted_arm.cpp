// A statement of the IR may be several statements of C, so an arm has braces.
// wrong: unsupported
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const IfThenElse *op) {
        std::string cond = print_expr(op->condition);
        stream << "if (" << cond << ")\n";
        open_scope();
        op->then_case.accept(this);
        close_scope("if");
        if (op->else_case.defined()) {
            stream << "else\n";
            open_scope();
            op->else_case.accept(this);
            close_scope("if");
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
        std::string cond = print_expr(op->condition);
        stream << "if (" << cond << ")\n";
        op->then_case.accept(this);
        if (op->else_case.defined()) {
            stream << "else\n";
            op->else_case.accept(this);
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
