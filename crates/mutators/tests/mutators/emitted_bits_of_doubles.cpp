// The bits of a `float` are not those of a float of 64 bits.
// wrong: undecided
// right: rejects

class Right : public IRVisitor {
    std::string id;

    void visit(const FloatImm *op) {
        user_assert(op->type.bits() == 32) << "The bits are those of a float of 32 bits.";
        union {
            uint32_t as_uint;
            float as_float;
        } u;
        u.as_float = op->value;
        std::ostringstream oss;
        oss << "float_from_bits(" << u.as_uint << " /* " << u.as_float << " */)";
        print_assignment(op->type, oss.str());
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};

class Wrong : public IRVisitor {
    std::string id;

    void visit(const FloatImm *op) {
        union {
            uint32_t as_uint;
            float as_float;
        } u;
        u.as_float = op->value;
        std::ostringstream oss;
        oss << "float_from_bits(" << u.as_uint << " /* " << u.as_float << " */)";
        print_assignment(op->type, oss.str());
    }

    std::string print_expr(Expr e) {
        e.accept(this);
        return id;
    }
};
