// A name of the IR (`f.s0.x`) need not be a name of C.
// wrong: unsupported
// profile: halide-hls

class Right : public IRVisitor {
    std::string id;
    std::ostringstream stream;

    void visit(const For *op) {
        std::string min = print_expr(op->min);
        std::string extent = print_expr(op->extent);
        stream << "// " << op->name << "\n";
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
        stream << "for (int " << op->name << " = " << min << "; " << op->name << " < " << min << " + " << extent
               << "; " << op->name << "++)\n";
        open_scope();
        op->body.accept(this);
        close_scope("for");
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
