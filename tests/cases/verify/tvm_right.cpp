// command: verify FILE --profile tvm --threads 1
// Rules in TVM's language that hold. The file `tvm_wrong.cpp` has a wrong twin of each, on the same
// line.
#include "rewrite_simplify.h"

PrimExpr Rules::VisitExpr_(const AddNode* op) {
  PVar<PrimExpr> x, y, z, b1, b2, s1, s2;
  PVar<IntImm> c1, c2, c3;
  PVar<PrimExpr> lanes;
  if (IsVectorExpr(op)) {
    TVM_TRY_REWRITE(ramp(b1, s1, lanes) + broadcast(x, lanes), ramp(b1 + x, s1, lanes));
  }
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE_IF(min(x, y + c1) + c2, min(x + c2, y), c1.Eval()->value == -c2.Eval()->value);
    TVM_TRY_REWRITE_IF(floordiv(x, c1) * c1 + floormod(x, c1), x, c1.Eval()->value != 0);
    TVM_TRY_REWRITE(matches_one_of(x * y + x, y * x + x, x + y * x, x + x * y), (y + 1) * x);
    TVM_TRY_REWRITE_IF(truncdiv(x + c1, c2), truncdiv(x, c2) + truncdiv(c1, c2),
                       c1.Eval()->value >= 0 && c2.Eval()->value > 0 &&
                           c1.Eval()->value % c2.Eval()->value == 0 &&
                           CanProveGreaterEqual(x.Eval(), 0));
    TVM_TRY_REWRITE_IF(floordiv(floordiv(x, c1), c2), floordiv(x, c1 * c2),
                       c1.Eval()->value > 0 && c2.Eval()->value > 0);
    TVM_TRY_REWRITE_IF(floormod(x, y), x,
                       CanProveGreaterEqual(x.Eval(), 0) && CanProve(x.Eval() < y.Eval()));
    TVM_TRY_REWRITE_IF(floormod(x + z, y), ZeroWithTypeLike(x),
                       CanProveEqual(x.Eval() + z.Eval(), 0) || CanProveEqual(x.Eval(), -z.Eval()));
    int64_t two = 2;
    TVM_TRY_REWRITE_IF(floormod(x + c1, 2), floormod(x, 2), floormod(c1.Eval()->value, two) == 0);
    TVM_TRY_REWRITE_IF((PMatchesOneOf{
                           max(floordiv(x, c2) * c2, x),
                           max(x, floordiv(x, c2) * c2),
                       }),
                       x, c2.Eval()->value > 0);
    // The remainder is computed only where `c2` is not 0.
    TVM_TRY_REWRITE_IF(select(x * c2 == 0, c1, x), select(x == 0, c1, x),
                       c2.Eval()->value != 0 && c1.Eval()->value % c2.Eval()->value == 0);
    TVM_TRY_REWRITE(floormod(x + floormod(z, y), y), floormod(x + z, y));
    TVM_TRY_REWRITE_IF(matches_one_of(floormod(x - floormod(x, z), y), floormod(floormod(x, z) - x, y)),
                       ZeroWithTypeLike(x),
                       CanProveEqual(y.Eval() - z.Eval(), 0) ||
                           CanProveEqual(y.Eval() + z.Eval(), 0));
    TVM_TRY_REWRITE(floordiv(x * y, 0 - y), 0 - x);
  }
  TVM_TRY_REWRITE(select(x, b1, b2) + select(x, s1, s2), select(x, b1 + s1, b2 + s2));
  return ret;
}

PrimExpr Rules::VisitExpr_(const AndNode* op) {
  PVar<PrimExpr> x, y;
  PVar<IntImm> c1, c2;
  auto cfalse = PConst<PrimExpr>(MakeConst(op->ty.as_or_throw<PrimType>(), false));
  TVM_TRY_REWRITE_IF(x < c1 && c2 < x, cfalse, c2.Eval()->value + 1 >= c1.Eval()->value);
  TVM_TRY_REWRITE(x <= y && y < x, cfalse);
  TVM_TRY_RECURSIVE_REWRITE(!(x && y), (!x) || (!y));
  return ret;
}

PrimExpr Rules::ApplyRewriteRules(LT ret) {
  PVar<PrimExpr> x, y, z;
  PVar<IntImm> c1, c2;
  if (IsIndexTypedExpr(ret->a)) {
    TVM_TRY_REWRITE(x + y < x + z, y < z);
    TVM_TRY_RECURSIVE_REWRITE_IF(truncdiv(x, c1) < c2,
                                 x<c1 * c2, c1.Eval()->value> 0 && c2.Eval()->value > 0);
  }
  PrimType op_ty = ret->a->ty.as_or_throw<PrimType>();
  if (op_ty.MatchesCode(DLDataTypeCode::kDLUInt) && (op_ty.bits() == 32 || op_ty.bits() == 64)) {
    TVM_TRY_REWRITE(x < 0, PConst<PrimExpr>(MakeConst(ret->ty, false)));
  }
  return ret;
}
// exit: 0
// rules of Rules::VisitExpr_(AddNode *): 15 verified
// rules of Rules::VisitExpr_(AndNode *): 3 verified
// rules of Rules::ApplyRewriteRules(LT): 3 verified
// at 8 bits: 4 verified, 17 unreached
// at 16 bits: 4 verified, 17 unreached
// at 32 bits: 20 verified, 1 unreached
// 21 rules: 21 verified
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// proved: 21 rules keep the value, over the reals
