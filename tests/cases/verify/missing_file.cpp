// command: verify no_such_file.cpp --profile halide
