// A loop ends after as many iterations as its extent says, not at the extent.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const For *op) {
        std::string min = print_expr(op->min);
        std::string extent = print_expr(op->extent);
        stream << "for (int " << print_name(op->name) << " = " << min << "; " << print_name(op->name) << " < " << min << " + " << extent
               << "; " << print_name(op->name) << "++)\n";
        open_scope();
        op->body.accept(this);
        close_scope("for");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const For *op) {
        std::string min = print_expr(op->min);
        std::string extent = print_expr(op->extent);
        stream << "for (int " << print_name(op->name) << " = " << min << "; " << print_name(op->name) << " < " << extent
               << "; " << print_name(op->name) << "++)\n";
        open_scope();
        op->body.accept(this);
        close_scope("for");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
