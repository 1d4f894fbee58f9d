// What is stored is the value, and where is the index.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Store *op) {
        std::string predicate = print_expr(op->predicate);
        stream << "if (" << predicate << ") ";
        open_scope();
        std::string value = print_expr(op->value);
        std::string index = print_expr(op->index);
        stream << "((" << print_type(op->value.type()) << " *)" << print_name(op->name) << ")[" << index << "] = " << value << ";\n";
        close_scope("");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Store *op) {
        std::string predicate = print_expr(op->predicate);
        stream << "if (" << predicate << ") ";
        open_scope();
        std::string value = print_expr(op->value);
        std::string index = print_expr(op->index);
        stream << "((" << print_type(op->value.type()) << " *)" << print_name(op->name) << ")[" << value << "] = " << index << ";\n";
        close_scope("");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
