// A function of C has its own number of arguments.
// wrong: undecided
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Max *op) {
        print_expr(Call::make(op->type, "max", {op->b, op->a}, Call::Extern));
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Max *op) {
        print_expr(Call::make(op->type, "max", {op->a, op->b, op->b}, Call::Extern));
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
