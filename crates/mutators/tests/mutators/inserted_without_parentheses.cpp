// A text that others insert into theirs binds as tightly as an operand.
// wrong: unsupported

class Right : public IRVisitor {
    void VisitExpr_(const LT *op, std::ostream &os) {
        os << "(";
        PrintExpr(op->a, os);
        os << " < ";
        PrintExpr(op->b, os);
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    void VisitExpr_(const LT *op, std::ostream &os) {
        PrintExpr(op->a, os);
        os << " < ";
        PrintExpr(op->b, os);
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
