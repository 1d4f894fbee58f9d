// The functions of `Func` and `Pipeline` that compile, in Halide 19.0.0 and 21.0.0, by the names
// for linkers. Each line has the places of the object and of the target among the arguments; a
// function that returns an object has the place of the result as its first argument.
//
// `Pipeline::compile_to_module` and the functions for several targets are not among them.

#define STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define TARGET "RKNS_6TargetE"
#define FILE_OF "ERK" STRING "RKSt6vectorINS_8ArgumentESaISA_EE"
#define NAMED FILE_OF "S8_" TARGET
#define PLAIN FILE_OF TARGET
#define FORMAT FILE_OF "NS_16StmtOutputFormatE" TARGET
#define FILES                                                                                      \
    "ERKSt3mapINS_14OutputFileTypeE" STRING "St4lessIS2_ESaISt4pairIKS2_S8_EEERKSt6vectorINS_8Ar"  \
    "gumentESaISJ_EERKS8_"
#define ARGUMENTS "ERKSt6vectorINS_8ArgumentESaIS2_EE"
#define SIZES "ESt6vectorIiSaIiEE"
#define SIZES_REF "ERKSt6vectorIiSaIiEE"
#define CONTEXT_SIZES "EPNS_14JITUserContextESt6vectorIiSaIiEE"
#define CONTEXT_SIZES_REF "EPNS_14JITUserContextERKSt6vectorIiSaIiEE"
#define BUFFERS "ENS_8Pipeline14RealizationArgE"
#define CONTEXT_BUFFERS "EPNS_14JITUserContextENS_8Pipeline14RealizationArgE"
#define OWN_BUFFERS "ENS0_14RealizationArgE"
#define OWN_CONTEXT_BUFFERS "EPNS_14JITUserContextENS0_14RealizationArgE"

#define FUNC(id, name, self, target) ENTRY(id, 1, "_ZN6Halide4Func" name, self, target)
#define PIPELINE(id, name, self, target) ENTRY(id, 0, "_ZN6Halide8Pipeline" name, self, target)
#define BOTH(id, name, self, target)                                                               \
    FUNC(func_##id, name, self, target)                                                            \
    PIPELINE(pipeline_##id, name, self, target)

BOTH(0, "11compile_jit" "E" TARGET, 0, 1)
BOTH(1, "10compile_to" FILES TARGET, 0, 4)
BOTH(2, "19compile_to_assembly" NAMED, 0, 4)
BOTH(3, "18compile_to_bitcode" NAMED, 0, 4)
BOTH(4, "12compile_to_c" NAMED, 0, 4)
BOTH(5, "19compile_to_callable" ARGUMENTS TARGET, 1, 3)
BOTH(6, "26compile_to_conceptual_stmt" FORMAT, 0, 4)
BOTH(7, "15compile_to_file" NAMED, 0, 4)
BOTH(8, "17compile_to_header" NAMED, 0, 4)
BOTH(9, "24compile_to_llvm_assembly" NAMED, 0, 4)
BOTH(10, "23compile_to_lowered_stmt" FORMAT, 0, 4)
BOTH(11, "17compile_to_object" NAMED, 0, 4)
BOTH(12, "25compile_to_static_library" NAMED, 0, 4)
BOTH(13, "18infer_input_bounds" SIZES_REF TARGET, 0, 2)
BOTH(14, "18infer_input_bounds" CONTEXT_SIZES_REF TARGET, 0, 3)
BOTH(15, "7realize" SIZES TARGET, 1, 3)
BOTH(16, "7realize" CONTEXT_SIZES TARGET, 1, 4)

// The name of the type of buffers depends on the class.
FUNC(func_17, "18infer_input_bounds" BUFFERS TARGET, 0, 2)
FUNC(func_18, "18infer_input_bounds" CONTEXT_BUFFERS TARGET, 0, 3)
FUNC(func_19, "7realize" BUFFERS TARGET, 0, 2)
FUNC(func_20, "7realize" CONTEXT_BUFFERS TARGET, 0, 3)
PIPELINE(pipeline_21, "18infer_input_bounds" OWN_BUFFERS TARGET, 0, 2)
PIPELINE(pipeline_22, "18infer_input_bounds" OWN_CONTEXT_BUFFERS TARGET, 0, 3)
PIPELINE(pipeline_23, "7realize" OWN_BUFFERS TARGET, 0, 2)
PIPELINE(pipeline_24, "7realize" OWN_CONTEXT_BUFFERS TARGET, 0, 3)

// Only `Func` has these.
FUNC(func_25, "19compile_to_assembly" PLAIN, 0, 3)
FUNC(func_26, "18compile_to_bitcode" PLAIN, 0, 3)
FUNC(func_27, "24compile_to_llvm_assembly" PLAIN, 0, 3)
FUNC(func_28, "17compile_to_module" ARGUMENTS "RK" STRING TARGET, 1, 4)
FUNC(func_29, "17compile_to_object" PLAIN, 0, 3)
