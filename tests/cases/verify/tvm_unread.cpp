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
    if (Unknown(op)) {
      one = 2;
      TVM_TRY_REWRITE((x - y) + y, x);
    }
    TVM_TRY_REWRITE_IF(x + c1, x, c1.Eval()->value == one);
    while (Unknown(op)) TVM_TRY_REWRITE((x - y) + y, x);
    auto later = [&]() { TVM_TRY_REWRITE((x - y) + y, x); };
  }
  return ret;
}
