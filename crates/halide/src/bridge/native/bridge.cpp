// What the script that drives Halide's Python calls: the C++ side of a pipeline, compiled as `compile_to_conceptual_stmt` does, with the statement written down in both forms.

#include "dump.h"

namespace {

void keep(char *words, size_t size, const std::string &said) {
    snprintf(words, size, "%s", said.c_str());
}

}  // namespace

// `outputs` are the names of the pipeline's outputs as Python knows them, each after a line break: what is at the address is checked to be that pipeline.
extern "C" int halidom_compile(void *pipeline, const char *outputs, const char *target, const char *statement, const char *dump, char *words, size_t size) {
    try {
        auto &made = *(Halide::Pipeline *)pipeline;
        std::string names;
        for (const Halide::Func &func : made.outputs()) {
            names += "\n" + func.name();
        }
        if (names != outputs) {
            keep(words, size, "the pipeline is not where Python keeps it");
            return 2;
        }
        const Halide::Target machine = *target ? Halide::Target(target) : Halide::get_target_from_environment();
        Halide::Module module = made.compile_to_module(made.infer_arguments(), "", machine);
        module.compile({{Halide::OutputFileType::conceptual_stmt, statement}});
        halidom::write(dump, halidom::dump(module));
        return 0;
    } catch (const halidom::Unsupported &error) {
        keep(words, size, error.what());
        return 3;
    } catch (const std::exception &error) {
        keep(words, size, error.what());
        return 1;
    }
}
