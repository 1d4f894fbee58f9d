// command: verify FILE --profile tvm --threads 1
// A file that ends within a rule: what was read is decided, and the place of the rest is named.
#include "rewrite_simplify.h"

PrimExpr Rules::VisitExpr_(const SubNode* op) {
  PVar<PrimExpr> x, y;
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE((x + y) - y, x);
  }
  return ret;
}

PrimExpr Rules::VisitExpr_(const AddNode* op) {
  PVar<PrimExpr> x, y;
  if (IsIndexTypedExpr(op)) {
    TVM_TRY_REWRITE((x - y) + y,
