// The methods of the mutators' root are judged as all others, if the files have their bodies.
// pass: IRMutator
// profile: halide
// refuted: WrongOperand WrongOrder

class Right {
    Expr visit(const Sub *op) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        if (a.same_as(op->a) && b.same_as(op->b)) {
            return op;
        }
        return Sub::make(a, b);
    }
};

class WrongOperand {
    Expr visit(const Sub *op) {
        return op->a;
    }
};

class WrongOrder {
    Expr visit(const Sub *op) {
        return Sub::make(mutate(op->b), mutate(op->a));
    }
};
