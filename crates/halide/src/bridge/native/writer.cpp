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

// The module in the form of a compile ahead of time: without the features that speak of the call and
// not of the code, and with arrays in place of the arguments that they are.
Module of_code(const Module &module) {
    const LoweredFunc *main = nullptr;
    for (const LoweredFunc &func : module.functions()) {
        if (func.linkage != LinkageType::Internal && func.name == module.name()) {
            main = &func;
        }
    }
    if (!main && !module.functions().empty()) {
        main = &module.functions().back();
    }
    if (!main) {
        throw halidom::Unsupported("a module without a function");
    }
    Pictured pictured;
    const Stmt &statement = module.get_conceptual_stmt();
    std::exception_ptr failed;
    run_with_large_stack([&]() {
        try {
            statement.accept(&pictured);
        } catch (...) {
            failed = std::current_exception();
        }
    });
    if (failed) {
        std::rethrow_exception(failed);
    }
    Target target = module.target();
    const bool called = target.has_feature(Target::JIT);
    target = target.without_feature(Target::JIT);
    if (called) {
        target = target.without_feature(Target::UserContext);
    }
    Module made(module.name(), target);
    std::vector<LoweredArgument> args;
    for (const LoweredArgument &arg : main->args) {
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
    made.append(LoweredFunc(main->name, args, main->body, main->linkage));
    made.set_any_strict_float(module.any_strict_float());
    made.set_conceptual_code_stmt(statement);
    return made;
}

}  // namespace

// Writes BASE.hlpipe and BASE.dump. Returns 0, and keeps the word `custom` if passes of the program
// have changed the statement. Otherwise keeps the words of an error.
extern "C" int halidom_write(void *pipeline, const void *module, const char *base, char *words, size_t size) {
    std::string said;
    // The program's own reporter of errors may do anything, such as end the process.
    set_custom_compile_time_error_reporter(nullptr);
    try {
        const std::string stem = base;
        const Module code = of_code(*(const Module *)module);
        Pipeline &compiled = *(Pipeline *)pipeline;
        serialize_pipeline(compiled, stem + ".hlpipe");
        halidom::write(stem + ".dump", halidom::dump(code));
        snprintf(words, size, "%s", compiled.custom_lowering_passes().empty() ? "" : "custom");
        return 0;
    } catch (const Error &error) {
        said = error.what();
    } catch (const std::exception &error) {
        said = error.what();
    } catch (...) {
        said = "an exception";
    }
    snprintf(words, size, "%s", said.c_str());
    return 1;
}
