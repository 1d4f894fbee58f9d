# A macro, because Halide's function sets variables of its caller.
macro(add_halide_library)
    _add_halide_library(${ARGV})
    _halidom_after_library(${ARGV})
endmacro()
