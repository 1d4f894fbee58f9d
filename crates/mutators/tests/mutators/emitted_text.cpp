// A text in quotes has escapes.
// wrong: wrong
// right: unsupported

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const StringImm *op) {
        id = quoted(op->value);
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const StringImm *op) {
        std::ostringstream oss;
        oss << "\"" << op->value << "\"";
        id = oss.str();
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
