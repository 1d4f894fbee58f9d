// What a type prints as is read as C: an `int` is no truth value.
// wrong: wrong

class Right : public IRVisitor {
    void PrintType(Type t, std::ostream &os) {
        if (t.is_float()) {
            os << (t.bits() == 32 ? "float" : "double");
        } else if (t.is_uint() && t.bits() == 1) {
            os << "bool";
        } else {
            if (t.is_uint()) {
                os << "u";
            }
            os << "int" << t.bits() << "_t";
        }
    }

    void VisitExpr_(const Cast *op, std::ostream &os) {
        os << "((";
        PrintType(op->type, os);
        os << ")";
        PrintExpr(op->value, os);
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};

class Wrong : public IRVisitor {
    void PrintType(Type t, std::ostream &os) {
        if (t.is_float()) {
            os << (t.bits() == 32 ? "float" : "double");
        } else if (t.is_uint() && t.bits() == 1) {
            os << "int";
        } else {
            if (t.is_uint()) {
                os << "u";
            }
            os << "int" << t.bits() << "_t";
        }
    }

    void VisitExpr_(const Cast *op, std::ostream &os) {
        os << "((";
        PrintType(op->type, os);
        os << ")";
        PrintExpr(op->value, os);
        os << ")";
    }

    void PrintExpr(const Expr &e, std::ostream &os) {
        VisitExpr(e, os);
    }
};
