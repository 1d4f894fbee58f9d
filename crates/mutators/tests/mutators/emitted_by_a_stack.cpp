// An emitter takes the last element of a stack only where it put one.
// wrong: unsupported
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;
    std::stack<int> depths;

    void visit(const Evaluate *op) {
        std::string value = print_expr(op->value);
        depths.push(1);
        depths.pop();
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
    std::stack<int> levels;

    void visit(const Evaluate *op) {
        levels.push(1);
        std::string value = print_expr(op->value);
        levels.pop();
        stream << "(void)" << value << ";\n";
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
