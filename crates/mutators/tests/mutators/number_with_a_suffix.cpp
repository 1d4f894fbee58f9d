// The suffix of a literal belongs to the number before it.
// wrong: unsupported

class Right : public IRVisitor {
    void VisitExpr_(const UIntImm *op, std::ostream &os) {
        if (op->type == UInt(32)) {
            os << op->value << "U";
        } else {
            os << "((";
            PrintType(op->type, os);
            os << ")" << op->value << "UL)";
        }
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    void VisitExpr_(const UIntImm *op, std::ostream &os) {
        if (op->type == UInt(32)) {
            os << op->value << "L";
        } else {
            os << "((";
            PrintType(op->type, os);
            os << ")" << op->value << "UL)";
        }
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
