// command: verify FILE --profile tvm --threads 1
// A macro that means something else than TVM's makes its rules unsupported; the others stand.
#define TVM_TRY_REWRITE(SrcExpr, ResExpr) \
  if ((SrcExpr).Match(ret)) {             \
    return (ResExpr).Eval();              \
  }
#define TVM_TRY_REWRITE_IF(SrcExpr, ResExpr, CondExpr) \
  if ((SrcExpr).Match(ret)) {                          \
    return (ResExpr).Eval();                           \
  }

PrimExpr Rules::VisitExpr_(const AddNode* op) {
  PVar<PrimExpr> x, y;
  PVar<IntImm> c1;
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE((x - y) + y, x);
    TVM_TRY_REWRITE_IF(x + c1, x, c1.Eval()->value == 0);
  }
  return ret;
}
// exit: 3
// tvm_redefined.cpp:17: unsupported: another definition of `TVM_TRY_REWRITE_IF`, at
//     another definition of `TVM_TRY_REWRITE_IF`
// rules of Rules::VisitExpr_(AddNode *): 1 verified, 1 unsupported
// at 8 bits: 2 unreached
// at 16 bits: 2 unreached
// at 32 bits: 1 verified, 1 unreached
// 2 rules: 1 verified, 1 unsupported
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// unknown: tvm_redefined.cpp:17: another definition of `TVM_TRY_REWRITE_IF`
