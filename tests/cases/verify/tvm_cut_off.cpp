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
// exit: 3
// tvm_cut_off.cpp:8: unsupported: a rule in text that is not understood as C++, at
//     a rule in text that is not understood as C++
// rules of Rules::VisitExpr_(SubNode *): 1 unsupported
// tvm_cut_off.cpp:16: unsupported: a rule in text that is not understood as C++, at
//     a rule in text that is not understood as C++
// rules of : 1 unsupported
// at 8 bits: 2 unreached
// at 16 bits: 2 unreached
// at 32 bits: 2 unreached
// 2 rules: 2 unsupported
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// text that is not read: unsupported
//   tvm_cut_off.cpp:13: unsupported: text that is not read, and may hold mutators
// 1 mutators: 1 unsupported
// unknown: tvm_cut_off.cpp:8: a rule in text that is not understood as C++ (the first of 3 reasons)
