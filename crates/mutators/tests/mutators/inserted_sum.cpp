// A text that others insert into theirs has the value of its node, not only its lowest bits.
// wrong: wrong

class Right : public IRVisitor {
    void VisitExpr_(const Add *op, std::ostream &os) {
        os << "((";
        PrintType(op->type, os);
        os << ")(";
        PrintExpr(op->a, os);
        os << " + ";
        PrintExpr(op->b, os);
        os << "))";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    void VisitExpr_(const Add *op, std::ostream &os) {
        os << "(";
        PrintExpr(op->a, os);
        os << " + ";
        PrintExpr(op->b, os);
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
