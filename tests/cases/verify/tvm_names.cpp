// command: verify FILE --profile tvm --threads 1
// Names that mean something of the file's own, variables that change, and matches of before.
#define value2 value > 0 || c1.Eval()->value
bool CanProveEqual(PrimExpr a, PrimExpr b) { return true; }

PrimExpr Rules::VisitExpr_(const MaxNode* op) {
  PVar<PrimExpr> x, y;
  PVar<IntImm> c1;
  int8_t small = 300;
  bool flag = 2;
  int64_t three = 3;
  int64_t& same = three;
  same = 4;
  int64_t match = c1.Eval()->value;
  int64_t four = 4;
  auto floormod = [](int64_t a, int64_t b) { return 0; };
  TVM_TRY_REWRITE_IF(max(max(x, c1), 4), max(x, c1), c1.Eval()->value >= four);
  TVM_TRY_REWRITE_IF(max(x, y), x, CanProveEqual(x.Eval(), y.Eval()));
  TVM_TRY_REWRITE_IF(max(max(x, c1), 200), max(x, c1), c1.Eval()->value >= small);
  TVM_TRY_REWRITE_IF(max(max(x, c1), 2), max(x, c1), c1.Eval()->value >= flag);
  TVM_TRY_REWRITE_IF(max(max(x, c1), 3), max(x, c1), c1.Eval()->value >= three);
  TVM_TRY_REWRITE_IF(max(max(x, c1), 2), max(x, c1), match >= 2);
  TVM_TRY_REWRITE_IF(max(max(x, c1), 0), max(x, c1), c1.Eval()->value + 1u > 0);
  TVM_TRY_REWRITE_IF(max(c1, 0), max(c1, 1), floormod(c1.Eval()->value, 2) == 1);
  return ret;
}

PrimExpr Rules::VisitExpr_(const MinNode* op) {
  PVar<PrimExpr> x;
  PVar<IntImm> c1;
  TVM_TRY_REWRITE_IF(min(min(x, c1), 0), min(x, c1), c1.Eval()->value2 <= 0);
  return ret;
}

PrimExpr Rules::VisitExpr_(const LTNode* op) {
  PVar<PrimExpr> x, y, z;
  bool is_index = IsIndexTypedExpr(op->a);
  Set(is_index);
  if (is_index) {
    TVM_TRY_REWRITE(x + y < x + z, y < z);
  }
  return ret;
}

PrimExpr Rules::VisitExpr_(const GTNode* op) {
  PVar<PrimExpr> x, y, z;
  op = something(op);
  if (IsIndexTypedExpr(op->a)) {
    TVM_TRY_REWRITE(x + y < x + z, y < z);
  }
  return ret;
}
// exit: 3
// tvm_names.cpp:18: unsupported: a condition with CanProveEqual(), at uint8, int8, uint16, int16, uint32, int32, float
//     max(x, y) => x if CanProveEqual()
// tvm_names.cpp:19: unsupported: a condition with a comparison with the name `small`, at uint8, int8, uint16, int16, uint32, int32
//     max(max(x, c1), 200) => max(x, c1) if a comparison with the name `small`
// tvm_names.cpp:20: unsupported: a condition with a comparison with the name `flag`, at uint8, int8, uint16, int16, uint32, int32
//     max(max(x, c1), 2) => max(x, c1) if a comparison with the name `flag`
// tvm_names.cpp:21: unsupported: a condition with a comparison with the name `three`, at uint8, int8, uint16, int16, uint32, int32
//     max(max(x, c1), 3) => max(x, c1) if a comparison with the name `three`
// tvm_names.cpp:22: unsupported: a condition with a comparison with the name `match`, at uint8, int8, uint16, int16, uint32, int32
//     max(max(x, c1), 2) => max(x, c1) if a comparison with the name `match`
// tvm_names.cpp:23: unsupported: a condition with a comparison with an unsigned number, at int8, int16, int32
//     max(max(x, c1), 0) => max(x, c1) if a comparison with an unsigned number
// tvm_names.cpp:24: unsupported: a condition with a comparison with `floormod`, which may mean something of the file's own, at uint8, int8, uint16, int16, uint32, int32
//     max(c1, 0) => max(c1, 1) if a comparison with `floormod`, which may mean something of the file's own
// rules of Rules::VisitExpr_(MaxNode *): 1 verified, 7 unsupported
// tvm_names.cpp:31: unsupported: the macro `value2`, at
//     the macro `value2`
// rules of Rules::VisitExpr_(MinNode *): 1 unsupported
// tvm_names.cpp:40: unsupported: under a condition: the name `is_index`, at
//     under a condition: the name `is_index`
// rules of Rules::VisitExpr_(LTNode *): 1 unsupported
// tvm_names.cpp:49: unsupported: under a condition: the function `IsIndexTypedExpr`, at
//     under a condition: the function `IsIndexTypedExpr`
// rules of Rules::VisitExpr_(GTNode *): 1 unsupported
// at 8 bits: 1 verified, 7 unsupported, 3 unreached
// at 16 bits: 1 verified, 7 unsupported, 3 unreached
// at 32 bits: 1 verified, 7 unsupported, 3 unreached
// 11 rules: 1 verified, 10 unsupported
// assumed: signed integers of 32 and 64 bits do not overflow, and what the analyzer proves is true
// unknown: tvm_names.cpp:18: a condition with CanProveEqual() (the first of 43 reasons)
