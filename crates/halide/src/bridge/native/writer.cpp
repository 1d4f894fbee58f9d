// Writes a pipeline and the statement that Halide has compiled from it, for the library that is put
// in front of a program's Halide (preload.c). Runs in a copy of the program.

#include "dump.h"

#include <algorithm>

namespace {

using namespace Halide;
using namespace Halide::Internal;

// The greatest size of a pipeline's own arrays together, in bytes. They are written as text.
const size_t MOST_BYTES = (size_t)64 << 20;

const char *const USER_CONTEXT = "__user_context";

// The pipeline's own arrays, by name. A compile for this process takes them as arguments, which a
// pipeline file does not have.
struct Pictured : IRVisitor {
    using IRVisitor::visit;
    std::map<std::string, Buffer<>> found;

    void note(const Buffer<> &image) {
        if (image.defined()) {
            found.emplace(image.name(), image);
        }
    }

    void visit(const Load *op) override {
        note(op->image);
        IRVisitor::visit(op);
    }

    void visit(const Variable *op) override {
        note(op->image);
    }
};

// The module in the form of a compile ahead of time: without the features that are about the call
// and not about the code, and with arrays in place of the arguments that they are.
Module of_code(const Module &module) {
    const LoweredFunc &main = halidom::main_of(module);
    Pictured pictured;
    const Stmt &statement = module.get_conceptual_stmt();
    halidom::on_large_stack([&]() { statement.accept(&pictured); });
    Target target = module.target();
    const bool called = target.has_feature(Target::JIT);
    target = target.without_feature(Target::JIT);
    if (called) {
        target = target.without_feature(Target::UserContext);
    }
    Module made(module.name(), target);
    std::vector<LoweredArgument> args;
    for (const LoweredArgument &arg : main.args) {
        const bool of_call = called && arg.name == USER_CONTEXT;
        if (!of_call && !pictured.found.count(arg.name)) {
            args.push_back(arg);
        }
    }
    size_t bytes = 0;
    for (const auto &image : pictured.found) {
        bytes += image.second.size_in_bytes();
        made.append(image.second);
    }
    if (bytes > MOST_BYTES) {
        throw halidom::Unsupported("arrays of more than 64 MiB in the pipeline");
    }
    made.append(LoweredFunc(main.name, args, main.body, main.linkage));
    made.set_any_strict_float(module.any_strict_float());
    made.set_conceptual_code_stmt(statement);
    return made;
}

// Writes the files of a pipeline with this statement; returns the words about it.
std::string write_files(Pipeline &pipeline, const Module &code, const std::string &base) {
    // The function that writes a file ends the process if it cannot.
    std::vector<uint8_t> bytes;
    serialize_pipeline(pipeline, bytes);
    halidom::write(base + ".hlpipe", std::string(bytes.begin(), bytes.end()));
    halidom::write(base + ".dump", halidom::dump(code));
    return code.name() + (pipeline.custom_lowering_passes().empty() ? "" : " custom");
}

// Does a job that returns words; keeps these, or those of an error. Returns 0 if there is no error.
template<typename Job>
int attempt(char *words, size_t size, Job job) {
    std::string said;
    // The program's own reporter of errors may do anything, such as end the process.
    set_custom_compile_time_error_reporter(nullptr);
    const int status = halidom::attempt(said, [&]() { said = job(); });
    snprintf(words, size, "%s", said.c_str());
    return status;
}

}  // namespace

// Writes BASE.hlpipe and BASE.dump. Returns 0, and keeps the name of the compiled function, and the
// word `custom` if passes of the program have changed the statement. Otherwise keeps the words of
// an error.
extern "C" int halidom_write(void *pipeline, const void *module, const char *base, char *words,
                             size_t size) {
    return attempt(words, size, [&]() {
        const Module code = of_code(*(const Module *)module);
        return write_files(*(Pipeline *)pipeline, code, base);
    });
}

// The same for a func or a pipeline that the program is about to compile for a target.
extern "C" int halidom_compile_and_write(void *object, int is_func, const void *named,
                                         const char *base, char *words, size_t size) {
    return attempt(words, size, [&]() {
        Pipeline pipeline = is_func ? Pipeline(*(const Func *)object) : *(Pipeline *)object;
        Target target = *(const Target *)named;
        if (target.has_unknowns()) {
            target = get_jit_target_from_environment();
        }
        target = target.without_feature(Target::JIT).without_feature(Target::UserContext);
        const Module code = pipeline.compile_to_module(pipeline.infer_arguments(), "", target);
        return write_files(pipeline, code, base);
    });
}
