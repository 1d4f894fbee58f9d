// Remainders that an analysis finds with the entries of a scope. Each `Wrong` adds an entry of its
// own, asks another scope, or takes more from the answer than it tells.
// profile: halide

class RightEntries : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class RightAfterwards : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        alignment_info.push("x", ModulusRemainder(2, 0));
        alignment_info.pop("x");
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongPush : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        alignment_info.push("x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        alignment_info.pop("x");
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongScope : public IRMutator {
    Scope<ModulusRemainder> table;
    Expr visit(const Sub *op) {
        ModulusRemainder r = modulus_remainder(op->a, table);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongRemainder : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongModulus : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus % 2 == 0 && r.remainder == 1 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongOwnScope : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        Scope<ModulusRemainder> alignment_info;
        alignment_info.push("x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongReference : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        Scope<ModulusRemainder> &other = alignment_info;
        other.push("x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        other.pop("x");
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongPointer : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        Scope<ModulusRemainder> *other = &alignment_info;
        other->push("x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        other->pop("x");
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongHelper : public IRMutator {
    Scope<ModulusRemainder> alignment_info;

    void add() {
        alignment_info.push("x", ModulusRemainder(2, 0));
    }

    Expr visit(const Sub *op) {
        add();
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        alignment_info.pop("x");
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongBinding : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        ScopedBinding<ModulusRemainder> bind(alignment_info, "x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongTakenOver : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        Scope<ModulusRemainder> own;
        own.set_containing_scope(&alignment_info);
        own.push("x", ModulusRemainder(2, 0));
        ModulusRemainder r = modulus_remainder(op->a, own);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->a % 2) - op->b;
        } else {
            return op;
        }
    }
};

class WrongOperand : public IRMutator {
    Scope<ModulusRemainder> alignment_info;
    Expr visit(const Sub *op) {
        ModulusRemainder r = modulus_remainder(op->a, alignment_info);
        if (r.modulus == 2 && r.remainder == 0 && op->type == Int(32)) {
            return (op->a - op->b % 2) - op->b;
        } else {
            return op;
        }
    }
};
