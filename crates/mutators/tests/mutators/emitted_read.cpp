// What is read from a stream is read from it once.
// wrong: undecided

class Right : public IRVisitor {
    std::string id;

    void VisitExpr_(const StreamExpr *op, std::ostream &os) {
        std::string vid = GetVarID(op->buffer_var.get());
        os << vid << ".read()";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void VisitExpr_(const StreamExpr *op, std::ostream &os) {
        std::string vid = GetVarID(op->buffer_var.get());
        os << "(" << vid << ".read() + " << vid << ".read())";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
