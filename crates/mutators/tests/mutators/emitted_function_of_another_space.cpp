// A function of another namespace is another function than the one that the text begins with.
// wrong: undecided
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const Min *op) {
        if (op->type.is_scalar()) {
            print_expr(Call::make(op->type, "::halide_cpp_min", {op->a, op->b}, Call::Extern));
        } else {
            std::ostringstream rhs;
            rhs << print_type(op->type) << "::min(" << print_expr(op->a) << ", "
                << print_expr(op->b) << ")";
            print_assignment(op->type, rhs.str());
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

    void visit(const Min *op) {
        if (op->type.is_scalar()) {
            print_expr(Call::make(op->type, "geom::min", {op->a, op->b}, Call::PureExtern));
        } else {
            std::ostringstream rhs;
            rhs << print_type(op->type) << "::min(" << print_expr(op->a) << ", "
                << print_expr(op->b) << ")";
            print_assignment(op->type, rhs.str());
        }
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
