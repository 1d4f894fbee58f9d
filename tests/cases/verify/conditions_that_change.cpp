// command: verify FILE --profile halide --only rules --threads 1
// A condition counts only if its variable and its function keep their meaning.
Expr Simplify::visit(const Min *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    bool same = no_overflow(op->type);
    auto rewrite = IRMatcher::rewriter(IRMatcher::min(a, b), op->type);
    if (same && rewrite(min(x + z, y + z), min(x, y) + z)) { return rewrite.result; }
    return op;
}

Expr Simplify::visit(const Max *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    bool set = no_overflow(op->type);
    bool &other = set;
    other = true;
    auto rewrite = IRMatcher::rewriter(IRMatcher::max(a, b), op->type);
    if (set && rewrite(max(x + z, y + z), max(x, y) + z)) { return rewrite.result; }
    return op;
}

Expr Simplify::visit(const LT *op, ExprInfo *info) {
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    auto no_overflow = [](Type t) { return true; };
    auto can_prove = [](auto c, auto s) { return true; };
    auto rewrite = IRMatcher::rewriter(IRMatcher::lt(a, b), op->type);
    if (rewrite(x < y, true, can_prove(x < y, this)) ||
        (no_overflow(op->a.type()) && rewrite(x + z < y + z, x < y))) { return rewrite.result; }
    return op;
}

Expr Simplify::visit(const Sub *op, ExprInfo *info) {
    op = other;
    Expr a = mutate(op->a, nullptr), b = mutate(op->b, nullptr);
    auto rewrite = IRMatcher::rewriter(IRMatcher::sub(a, b), op->type);
    if (no_overflow(op->type) && rewrite(max(x, y) - y, max(x - y, 0))) { return rewrite.result; }
    return op;
}
// exit: 1
// 3 of 4 rules lead downwards in one order, 0 pairs undo one another
// rules of Simplify::visit(Min *): 1 verified
// conditions_that_change.cpp:17: wrong at uint8: x=2 z=237 y=254: 239 becomes 235
//     max((x + z), (y + z)) => (max(x, y) + z)
// conditions_that_change.cpp:17: wrong at int8: x=-19 z=-127 y=4: 110 becomes -123
//     max((x + z), (y + z)) => (max(x, y) + z)
// conditions_that_change.cpp:17: wrong at uint16: x=2 z=65517 y=65534: 65519 becomes 65515
//     max((x + z), (y + z)) => (max(x, y) + z)
// conditions_that_change.cpp:17: wrong at int16: x=-19 z=-32767 y=4: 32750 becomes -32763
//     max((x + z), (y + z)) => (max(x, y) + z)
// conditions_that_change.cpp:17: wrong at uint32: x=2 z=4294967277 y=4294967294: 4294967279 becomes 4294967275
//     max((x + z), (y + z)) => (max(x, y) + z)
// rules of Simplify::visit(Max *): 1 wrong
// conditions_that_change.cpp:26: unsupported: `can_prove`, which may mean something of the file's own, at
//     `can_prove`, which may mean something of the file's own
// conditions_that_change.cpp:27: wrong at uint8: x=2 z=237 y=254: 0 becomes 1
//     ((x + z) < (y + z)) => (x < y)
// conditions_that_change.cpp:27: wrong at int8: x=-19 z=-127 y=4: 0 becomes 1
//     ((x + z) < (y + z)) => (x < y)
// conditions_that_change.cpp:27: wrong at uint16: x=2 z=65517 y=65534: 0 becomes 1
//     ((x + z) < (y + z)) => (x < y)
// conditions_that_change.cpp:27: wrong at int16: x=-19 z=-32767 y=4: 0 becomes 1
//     ((x + z) < (y + z)) => (x < y)
// conditions_that_change.cpp:27: wrong at uint32: x=2 z=4294967277 y=4294967294: 0 becomes 1
//     ((x + z) < (y + z)) => (x < y)
// rules of Simplify::visit(LT *): 1 wrong, 1 unsupported
// conditions_that_change.cpp:35: wrong at uint8: x=2 y=237: 0 becomes 21
//     (max(x, y) - y) => max((x - y), 0)
// conditions_that_change.cpp:35: wrong at int8: x=-126 y=8: 0 becomes 122
//     (max(x, y) - y) => max((x - y), 0)
// conditions_that_change.cpp:35: wrong at uint16: x=2 y=65517: 0 becomes 21
//     (max(x, y) - y) => max((x - y), 0)
// conditions_that_change.cpp:35: wrong at int16: x=-32766 y=8: 0 becomes 32762
//     (max(x, y) - y) => max((x - y), 0)
// conditions_that_change.cpp:35: wrong at uint32: x=2 y=4294967277: 0 becomes 21
//     (max(x, y) - y) => max((x - y), 0)
// rules of Simplify::visit(Sub *): 1 wrong
// at 8 bits: 3 wrong, 2 unreached
// at 16 bits: 3 wrong, 2 unreached
// at 32 bits: 1 verified, 3 wrong, 1 unreached
// 5 rules: 1 verified, 3 wrong, 1 unsupported
// refuted: expected 239, got 235 (the first of # runs)
