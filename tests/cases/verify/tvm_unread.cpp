// command: verify FILE --profile tvm --threads 1
// What is not understood never makes a verdict: a rule that holds without it is verified, and no
// other rule with it is called wrong.
#include "rewrite_simplify.h"

PrimExpr Rules::VisitExpr_(const AddNode* op) {
  PVar<PrimExpr> x, y, z;
  PVar<IntImm> c1, c2;
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE_IF((x - y) + y, x, IsPleased(x.Eval()));
    TVM_TRY_REWRITE_IF((x - y) + y, y, IsPleased(x.Eval()));
    TVM_TRY_REWRITE_IF((x - y) + y, y, !CanProveEqual(x.Eval(), y.Eval()));
    TVM_TRY_REWRITE_IF(x + c1, x, (c1.Eval()->value & 1) == 2);
    // The second pattern does not bind what the replacement uses.
    TVM_TRY_REWRITE(matches_one_of((x - y) + y, x + 0), x + (y - y));
    TVM_TRY_REWRITE(x / y + x, x);
    TVM_TRY_REWRITE((x - y) + y);
    TVM_TRY_SOMETHING((x - y) + y, x);
    int64_t one = 1;
    if (Unknown(x)) {
      one = 2;
      TVM_TRY_REWRITE((x - y) + y, x);
    }
    TVM_TRY_REWRITE_IF(x + c1, x, c1.Eval()->value == one);
    while (Unknown(x)) TVM_TRY_REWRITE((x - y) + y, x);
    auto later = [&]() { TVM_TRY_REWRITE((x - y) + y, x); };
  }
  return ret;
}
// exit: 3
// tvm_unread.cpp:11: unsupported: a condition with IsPleased(), at int32
//     ((x - y) + y) => y if IsPleased()
// tvm_unread.cpp:12: unsupported: a condition with no answer of the analyzer, at int32
//     ((x - y) + y) => y if no answer of the analyzer
// tvm_unread.cpp:13: unsupported: a condition with a comparison with the operator `&`, at int32
//     (x + c1) => x if a comparison with the operator `&`
// tvm_unread.cpp:15: unsupported: `y`, which the pattern `(x + 0)` does not bind, at
//     `y`, which the pattern `(x + 0)` does not bind
// tvm_unread.cpp:16: unsupported: the operator `/`, at
//     the operator `/`
// tvm_unread.cpp:17: unsupported: a macro with 1 arguments, at
//     a macro with 1 arguments
// tvm_unread.cpp:18: unsupported: the macro `TVM_TRY_SOMETHING`, at
//     the macro `TVM_TRY_SOMETHING`
// tvm_unread.cpp:22: unsupported: under a condition: the function `Unknown`, at
//     under a condition: the function `Unknown`
// tvm_unread.cpp:24: unsupported: a condition with a comparison with the name `one`, at int32
//     (x + c1) => x if a comparison with the name `one`
// tvm_unread.cpp:25: unsupported: in a loop, at
//     in a loop
// tvm_unread.cpp:26: unsupported: in an expression, at
//     in an expression
// rules of Rules::VisitExpr_(AddNode *): 1 verified, 11 unsupported
// at 8 bits: 12 unreached
// at 16 bits: 12 unreached
// at 32 bits: 1 verified, 4 unsupported, 7 unreached
// 12 rules: 1 verified, 11 unsupported
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// unknown: tvm_unread.cpp:11: a condition with IsPleased() (the first of 11 reasons)
