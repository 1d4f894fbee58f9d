// What is loaded is what lies at the index.
// wrong: wrong

class Right : public IRVisitor {
    std::string id;

    void visit(const Load *op) {
        std::ostringstream rhs;
        std::string index = print_expr(op->index);
        rhs << "((const " << print_type(op->type) << " *)" << print_name(op->name) << ")[" << index << "]";
        print_assignment(op->type, rhs.str());
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const Load *op) {
        std::ostringstream rhs;
        std::string index = print_expr(op->index);
        rhs << "((const " << print_type(op->type) << " *)" << print_name(op->name) << ")[" << index << " + 1]";
        print_assignment(op->type, rhs.str());
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
