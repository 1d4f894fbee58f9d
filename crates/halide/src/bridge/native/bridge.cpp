// The C++ side of the bridge: a library for the script that drives Halide's Python, and a program.

#include "bridge.h"
#include "build.h"

#include <iostream>

#include <unistd.h>

namespace {

const unsigned SECONDS = 300;

// Returns the pipeline at an address. The names of its outputs in Python, each after a line break,
// serve to check that the address points to it.
Halide::Pipeline &checked(void *pipeline, const char *outputs) {
    auto &made = *(Halide::Pipeline *)pipeline;
    std::string names;
    for (const Halide::Func &func : made.outputs()) {
        names += "\n" + func.name();
    }
    if (names != outputs) {
        throw std::runtime_error("the pipeline is not where Python keeps it");
    }
    return made;
}

// Reads a pipeline file. Constraints of outputs may speak of inputs, which the file has too.
Halide::Pipeline from_file(const char *file) {
    return Halide::deserialize_pipeline(file, Halide::deserialize_parameters(file));
}

// Does a job; returns 0, or keeps the words of an error and returns another number.
template<typename Job>
int attempt(char *words, size_t size, Job job) {
    std::string said;
    const int status = halidom::attempt(said, job);
    snprintf(words, size, "%s", said.c_str());
    return status;
}

}  // namespace

extern "C" int halidom_compile(void *pipeline, const char *outputs, const char *file,
                               const char *target, const char *statement, const char *dump,
                               const char *object, char *words, size_t size) {
    return attempt(words, size, [&]() {
        Halide::Pipeline made = *file ? from_file(file) : checked(pipeline, outputs);
        const Halide::Target machine =
            *target ? Halide::Target(target) : Halide::get_target_from_environment();
        Halide::Module module = made.compile_to_module(made.infer_arguments(), "", machine);
        module.compile({{Halide::OutputFileType::conceptual_stmt, statement}});
        halidom::write(dump, halidom::dump(module));
        if (*object) {
            module.compile({{Halide::OutputFileType::object, object}});
            halidom::write(std::string(object) + ".name", module.name());
        }
    });
}

extern "C" int halidom_serialize(void *pipeline, const char *outputs, const char *file, char *words,
                                 size_t size) {
    return attempt(words, size, [&]() {
        Halide::serialize_pipeline(checked(pipeline, outputs), file);
    });
}

extern "C" int halidom_keep(void *pipeline, const void *module, const char *base, char *words,
                            size_t size) {
    return attempt(words, size, [&]() {
        const std::string start = base;
        const Halide::Module &made = *(const Halide::Module *)module;
        halidom::write(start + ".name", made.name());
        Halide::serialize_pipeline(*(Halide::Pipeline *)pipeline, start + ".hlpipe");
        halidom::write(start + ".dump", halidom::dump(made));
    });
}

// `build DUMP KIND FILE [TARGET]` writes an object file (`object`), Halide's C (`c`), or the parsed
// dump printed again (`dump`). `runtime FILE TARGET` writes Halide's runtime as an object file.
int main(int argc, char **argv) {
    std::string said;
    const int status = halidom::attempt(said, [&]() {
        const std::string job = argc > 1 ? argv[1] : "";
        // LLVM may take forever on synthetic code.
        alarm(SECONDS);
        if (job == "runtime" && argc == 4) {
            // The runtime has no floats that could be strict, and Halide refuses the feature there.
            const Halide::Target machine =
                Halide::Target(argv[3]).without_feature(Halide::Target::StrictFloat);
            Halide::compile_standalone_runtime(argv[2], machine);
            return;
        }
        if (job != "build" || argc < 5) {
            throw std::runtime_error("error: no such job");
        }
        const std::string kind = argv[3], file = argv[4];
        halidom::Reader reader(halidom::read_file(argv[2]));
        const Halide::Module module = halidom::module_of(reader, argc > 5 ? argv[5] : "");
        if (kind == "dump") {
            halidom::write(file, halidom::dump(module));
        } else {
            const auto type =
                kind == "c" ? Halide::OutputFileType::c_source : Halide::OutputFileType::object;
            module.compile({{type, file}});
        }
    });
    if (status != 0) {
        std::cerr << said << '\n';
    }
    return status;
}
