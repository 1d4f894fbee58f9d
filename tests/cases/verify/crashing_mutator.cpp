// command: verify FILE --profile halide-hls --threads 1
// A mutator as a program: one arm divides constants without a test, one swaps the operands of a difference.
class Fold : public IRMutator {
    void visit(const Div *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const int64_t *ia = as_const_int(a);
        const int64_t *ib = as_const_int(b);
        if (ia && ib && op->type.is_scalar()) {
            expr = IntImm::make(op->type, *ia / *ib);
        } else if (a.same_as(op->a) && b.same_as(op->b)) {
            expr = self;
        } else {
            expr = Div::make(a, b);
        }
    }

    void visit(const Sub *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Add *add_a = a.as<Add>();
        if (add_a && equal(add_a->a, b)) {
            expr = add_a->a;
        } else {
            expr = Sub::make(a, b);
        }
    }

    void visit(const Add *op, const Expr &self) {
        Expr a = mutate(op->a);
        Expr b = mutate(op->b);
        const Sub *sub_a = a.as<Sub>();
        if (sub_a && equal(sub_a->b, b)) {
            expr = sub_a->a;
        } else {
            expr = Add::make(a, b);
        }
    }
};
// exit: 1
// Fold::visit(const Div *): wrong
//   crashing_mutator.cpp:10: wrong at int32: 1 becomes 0
//       (-1 / -2147483648) => 0
//   crashing_mutator.cpp:10: crash at int32: division by zero
//       (-2147483648 / 0)
// Fold::visit(const Sub *): wrong
//   crashing_mutator.cpp:23: wrong at int32: 5 becomes 6
//       ((x1 + (x1 + -1)) - x1) => x1  x1=6
// Fold::visit(const Add *): verified
// 3 mutators: 1 verified, 2 wrong
// refuted: expected 1, got 0 (the first of # runs)
