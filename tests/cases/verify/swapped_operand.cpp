// command: verify FILE --profile halide --threads 1 --verbose
// A rule that keeps the wrong operand is refuted, and its right neighbours are proved.
#include "Simplify_Internal.h"

Expr Simplify::visit(const Sub *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr);
    Expr b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
    if (rewrite(x - x, 0) ||
        (no_overflow_int(op->type) &&
         (rewrite((x + y) - y, x) ||
          rewrite((x + y) - x, x) ||
          rewrite(min(x + c0, y) - x, min(y - x, c0))))) {
        return mutate(rewrite.result, info);
    }
    return op;
}
// exit: 1
// 4 of 4 rules lead downwards in one order, 0 pairs undo one another
// swapped_operand.cpp:12: wrong at int32: x=2 y=-19: -19 becomes 2
//     ((x + y) - x) => x
// rules of Simplify::visit(Sub *): 3 verified, 1 wrong
// at 8 bits: 1 verified, 3 unreached
// at 16 bits: 1 verified, 3 unreached
// at 32 bits: 3 verified, 1 wrong
// 4 rules: 3 verified, 1 wrong
// Simplify::visit(const Sub *): partial
//   swapped_operand.cpp:14: partial at int32: it may not end: what it mutates here may be as large as its own input
// 1 mutators: 1 partial
// refuted: expected -19, got 2
// Expr x = Variable::make(Int(32), "x"); // 2
// Expr y = Variable::make(Int(32), "y"); // -19
// Expr before = ((x + y) - x); // -19
// Expr after = simplify(before); // by this rule x, which is 2
