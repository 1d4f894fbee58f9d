// command: verify FILE --profile tvm --threads 1
// Rules in TVM's language that are wrong. The file `tvm_right.cpp` has a right twin of each, on the
// same line.
#include "rewrite_simplify.h"

PrimExpr Rules::VisitExpr_(const AddNode* op) {
  PVar<PrimExpr> x, y, z, b1, b2, s1, s2;
  PVar<IntImm> c1, c2, c3;
  PVar<PrimExpr> lanes;
  if (IsVectorExpr(op)) {
    TVM_TRY_REWRITE(ramp(b1, s1, lanes) + broadcast(x, lanes), ramp(b1 + x, s1 + x, lanes));
  }
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE_IF(min(x, y + c1) + c2, min(x + c2, y), c1.Eval()->value == c2.Eval()->value);
    TVM_TRY_REWRITE_IF(floordiv(x, c1) * c1 + truncmod(x, c1), x, c1.Eval()->value != 0);
    TVM_TRY_REWRITE(matches_one_of(x * y + x, y * x + x, x + y * x, y + x * y), (y + 1) * x);
    TVM_TRY_REWRITE_IF(truncdiv(x + c1, c2), truncdiv(x, c2) + truncdiv(c1, c2),
                       c1.Eval()->value >= 0 && c2.Eval()->value > 0 &&
                           c1.Eval()->value % c2.Eval()->value == 0 &&
                           CanProveGreaterEqual(x.Eval(), -1));
    TVM_TRY_REWRITE_IF(floordiv(floordiv(x, c1), c2), floordiv(x, c1 * c2),
                       c1.Eval()->value > 0 && c2.Eval()->value != 0);
    TVM_TRY_REWRITE_IF(floormod(x, y), x,
                       CanProveGreaterEqual(x.Eval(), 0) || CanProve(x.Eval() < y.Eval()));
    TVM_TRY_REWRITE_IF(floormod(x + z, y), ZeroWithTypeLike(x),
                       CanProveEqual(x.Eval() + z.Eval(), 0) || CanProveEqual(x.Eval(), z.Eval()));
    int64_t two = 3;
    TVM_TRY_REWRITE_IF(floormod(x + c1, 2), floormod(x, 2), floormod(c1.Eval()->value, two) == 0);
    TVM_TRY_REWRITE_IF((PMatchesOneOf{
                           max(floordiv(x, c2) * c2, x),
                           max(x, floordiv(x, c2) * c2 + 1),
                       }),
                       x, c2.Eval()->value > 0);
    // Where the remainder is not computed, `c2` may be 0.
    TVM_TRY_REWRITE_IF(select(x * c2 == 0, c1, x), select(x == 0, c1, x),
                       c1.Eval()->value == 1 || c1.Eval()->value % c2.Eval()->value == 0);
    TVM_TRY_REWRITE(floormod(x + floordiv(z, y), y), floormod(x + z, y));
    TVM_TRY_REWRITE_IF(matches_one_of(floormod(x - floormod(x, z), y), floormod(floormod(x, z) - x, y)),
                       ZeroWithTypeLike(x),
                       CanProveEqual(y.Eval() - z.Eval(), 0) ||
                           CanProveEqual(y.Eval() + z.Eval(), 1));
    TVM_TRY_REWRITE(floordiv(x * y, 0 - y), x);
  }
  TVM_TRY_REWRITE(select(x, b1, b2) + select(x, s1, s2), select(x, b1 + s1, b2 + s1));
  return ret;
}

PrimExpr Rules::VisitExpr_(const AndNode* op) {
  PVar<PrimExpr> x, y;
  PVar<IntImm> c1, c2;
  auto cfalse = PConst<PrimExpr>(MakeConst(op->ty.as_or_throw<PrimType>(), false));
  TVM_TRY_REWRITE_IF(x < c1 && c2 < x, cfalse, c2.Eval()->value + 2 >= c1.Eval()->value);
  TVM_TRY_REWRITE(x <= y && y <= x, cfalse);
  TVM_TRY_RECURSIVE_REWRITE(!(x && y), (!x) && (!y));
  return ret;
}

PrimExpr Rules::ApplyRewriteRules(LT ret) {
  PVar<PrimExpr> x, y, z;
  PVar<IntImm> c1, c2;
  if (IsIndexTypedExpr(ret->a)) {
    TVM_TRY_REWRITE(x + y < x - z, y < z);
    TVM_TRY_RECURSIVE_REWRITE_IF(truncdiv(x, c1) < c2,
                                 x<c1 * c2, c1.Eval()->value> 0 && c2.Eval()->value > -9);
  }
  PrimType op_ty = ret->a->ty.as_or_throw<PrimType>();
  if (op_ty.MatchesCode(DLDataTypeCode::kDLInt) && (op_ty.bits() == 32 || op_ty.bits() == 64)) {
    TVM_TRY_REWRITE(x < 0, PConst<PrimExpr>(MakeConst(ret->ty, false)));
  }
  return ret;
}
// exit: 1
// tvm_wrong.cpp:11: wrong at uint8: b1=5 s1=2 lane[lanes][]=1 x=255: 6 becomes 5
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at int8: b1=5 s1=2 lane[lanes][]=1 x=-1: 6 becomes 5
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at uint16: b1=5 s1=2 lane[lanes][]=1 x=65535: 6 becomes 5
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at int16: b1=5 s1=2 lane[lanes][]=1 x=-1: 6 becomes 5
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at uint32: b1=5 s1=2 lane[lanes][]=1 x=4294967295: 6 becomes 5
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at int32: b1=3 s1=-280209496 lane[lanes][]=1 lanes=2147483645 x=-1: -280209494 becomes -280209495
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:11: wrong at float: b1=4 s1=-2 lane[lanes][]=1 lanes=8 x=6: 8 becomes 14
//     (ramp(b1, s1, lanes) + broadcast(x, lanes)) => ramp((b1 + x), (s1 + x), lanes)
// tvm_wrong.cpp:14: wrong at int32: x=0 y=-2147483648 c1=8 c2=8: -2147483632 becomes -2147483648
//     (min(x, (y + c1)) + c2) => min((x + c2), y) if (c1 == c2)
// tvm_wrong.cpp:15: wrong at int32: x=2 c1=-19: 21 becomes 2
//     ((floordiv(x, c1) * c1) + truncmod(x, c1)) => x if (c1 != 0)
// tvm_wrong.cpp:16: wrong at int32: y=2 x=-19: -36 becomes -57
//     (y + (x * y)) => ((y + 1) * x)
// tvm_wrong.cpp:17: wrong at int32: x=-1 c1=2 c2=2: 0 becomes 1
//     truncdiv((x + c1), c2) => (truncdiv(x, c2) + truncdiv(c1, c2)) if ((((c1 >= 0) && (c2 > 0)) && (truncmod(c1, c2) == 0)) && can_prove((x >= -1)))
// tvm_wrong.cpp:21: wrong at int32: x=2 c1=7 c2=-1705390279: 0 becomes -1
//     floordiv(floordiv(x, c1), c2) => floordiv(x, (c1 * c2)) if ((c1 > 0) && (c2 != 0))
// tvm_wrong.cpp:23: wrong at int32: x=2 y=-19: -17 becomes 2
//     floormod(x, y) => x if (can_prove((x >= 0)) || can_prove((x < y)))
// tvm_wrong.cpp:25: wrong at int32: x=2 z=2 y=-12: -8 becomes 0
//     floormod((x + z), y) => 0 if (can_prove(((x + z) == 0)) || can_prove((x == z)))
// tvm_wrong.cpp:28: wrong at int32: x=4 c1=-3: 1 becomes 0
//     floormod((x + c1), 2) => floormod(x, 2) if (floormod(c1, 3) == 0)
// tvm_wrong.cpp:29: wrong at int32: x=-3 c2=1: -2 becomes -3
//     max(x, ((floordiv(x, c2) * c2) + 1)) => x if (c2 > 0)
// tvm_wrong.cpp:35: wrong at int32: x=5 c2=0 c1=1: 1 becomes 5
//     select(((x * c2) == 0), c1, x) => select((x == 0), c1, x) if ((c1 == 1) || (truncmod(c1, c2) == 0))
// tvm_wrong.cpp:37: wrong at int32: x=-2147483647 z=3 y=-280209496: -186017176 becomes -186017172
//     floormod((x + floordiv(z, y)), y) => floormod((x + z), y)
// tvm_wrong.cpp:38: wrong at int32: x=1 z=-2 y=3: 2 becomes 0
//     floormod((x - floormod(x, z)), y) => 0 if (can_prove(((y - z) == 0)) || can_prove(((y + z) == 1)))
// tvm_wrong.cpp:38: wrong at int32: x=1 z=-2 y=3: 1 becomes 0
//     floormod((floormod(x, z) - x), y) => 0 if (can_prove(((y - z) == 0)) || can_prove(((y + z) == 1)))
// tvm_wrong.cpp:42: wrong at int32: x=2 y=-19: -2 becomes 2
//     floordiv((x * y), (0 - y)) => x
// tvm_wrong.cpp:44: wrong at uint8: x=0 b1=15 b2=253 s1=255 s2=4: 1 becomes 252
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at int8: x=0 b1=15 b2=-3 s1=-1 s2=4: 1 becomes -4
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at uint16: x=0 b1=15 b2=65533 s1=65535 s2=4: 1 becomes 65532
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at int16: x=0 b1=15 b2=-3 s1=-1 s2=4: 1 becomes -4
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at uint32: x=0 b1=15 b2=4294967293 s1=4294967295 s2=4: 1 becomes 4294967292
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at int32: x=0 b1=15 b2=-3 s1=-1 s2=4: 1 becomes -4
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// tvm_wrong.cpp:44: wrong at float: x=0 b1=14 b2=4 s1=-2 s2=2: 6 becomes 2
//     (select(x, b1, b2) + select(x, s1, s2)) => select(x, (b1 + s1), (b2 + s1))
// rules of Rules::VisitExpr_(AddNode *): 15 wrong
// tvm_wrong.cpp:52: wrong at uint8: x=1 c1=2 c2=0: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:52: wrong at int8: x=-127 c1=-126 c2=-128: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:52: wrong at uint16: x=1 c1=2 c2=0: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:52: wrong at int16: x=-32767 c1=-32766 c2=-32768: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:52: wrong at uint32: x=1 c1=2 c2=0: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:52: wrong at int32: x=-2147483647 c1=-2147483646 c2=-2147483648: 1 becomes 0
//     ((x < c1) && (c2 < x)) => false if ((c2 + 2) >= c1)
// tvm_wrong.cpp:53: wrong at uint8: x=254 y=254: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at int8: x=-2 y=-2: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at uint16: x=65534 y=65534: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at int16: x=-2 y=-2: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at uint32: x=4294967294 y=4294967294: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at int32: x=-2 y=-2: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:53: wrong at float: x=-6 y=-6: 1 becomes 0
//     ((x <= y) && (y <= x)) => false
// tvm_wrong.cpp:54: wrong at truth values: x=0 y=1: 1 becomes 0
//     !((x && y)) => (!(x) && !(y))
// rules of Rules::VisitExpr_(AndNode *): 3 wrong
// tvm_wrong.cpp:62: wrong at int32: x=-2147483647 y=3 z=-280209496: 1 becomes 0
//     ((x + y) < (x - z)) => (y < z)
// tvm_wrong.cpp:63: wrong at int32: x=-2 c1=6 c2=0: 0 becomes 1
//     (truncdiv(x, c1) < c2) => (x < (c1 * c2)) if ((c1 > 0) && (c2 > -9))
// tvm_wrong.cpp:68: wrong at int32: x=-19: 1 becomes 0
//     (x < 0) => false
// rules of Rules::ApplyRewriteRules(LT): 3 wrong
// at 8 bits: 4 wrong, 17 unreached
// at 16 bits: 4 wrong, 17 unreached
// at 32 bits: 20 wrong, 1 unreached
// 21 rules: 21 wrong
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// refuted: expected 6, got 5 (the first of # runs)
