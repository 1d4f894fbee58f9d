// An emitter of expressions writes no statements.
// wrong: unsupported
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;
    void visit(const Add *op) {
        std::string a = print_expr(op->a);
        std::string b = print_expr(op->b);
        print_assignment(op->type, a + " + " + b);
    }
    std::string print_expr(Expr e) { e.accept(this); return id; }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;
    void visit(const Add *op) {
        std::string a = print_expr(op->a);
        std::string b = print_expr(op->b);
        stream << "return 0;\n";
        print_assignment(op->type, a + " + " + b);
    }
    std::string print_expr(Expr e) { e.accept(this); return id; }
};
