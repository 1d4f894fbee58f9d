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
