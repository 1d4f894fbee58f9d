// Collects the pipelines that a C++ program compiles. Preloaded (LD_PRELOAD) into a program that is
// linked with libHalide.so, this library takes the place of `Pipeline::compile_to_module`, through
// which Halide passes every compile, ahead of time or not.
//
// For each of the first HALIDOM_CENSUS_MOST different pipelines (3 without it), it writes into the
// folder HALIDOM_CENSUS_FOLDER: `N.hlpipe`, the pipeline; `N.dump`, the statement without loss,
// which has the constraints of inputs and the target; `N.target`. The C++ side of halidom's bridge,
// linked into this library, writes the dump. `N.error` has the reason if a file is missing. After
// the last one the program ends. With HALIDOM_CENSUS_ONLY=N, it writes only pipeline N and ends
// after it.

#include "Halide.h"

#include "../../../crates/halide/src/bridge/native/bridge.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Halide::Target;

// The limit for one pipeline.
const rlim_t SECONDS = 60;

// Halide compiles within a compile, to find the types of Python's arguments or the sizes of inputs.
int depth = 0;
int found = 0;
std::set<std::string> seen;

struct Within {
    Within() { depth++; }
    ~Within() { depth--; }
};

std::string setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

int number(const char *name, int otherwise) {
    const std::string value = setting(name);
    return value.empty() ? otherwise : atoi(value.c_str());
}

std::string contents(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void say(const std::string &path, const std::string &words) {
    std::ofstream(path) << words << '\n';
}

// Features that speak of the call and not of the code.
Target of_code(const Target &target) {
    return target.without_feature(Target::JIT).without_feature(Target::UserContext);
}

// Writes the files of one pipeline. Runs in a process of its own, so that nothing that it does to
// Halide's counters of names reaches the program.
int write(Halide::Pipeline &pipeline, const Target &target, const std::string &base) {
    try {
        Halide::serialize_pipeline(pipeline, base + ".hlpipe");
        say(base + ".target", target.to_string());
        std::string outputs;
        for (const Halide::Func &func : pipeline.outputs()) {
            outputs += "\n" + func.name();
        }
        std::vector<char> words(1 << 16);
        const std::string statement = base + ".stmt", dump = base + ".dump";
        if (halidom_compile(&pipeline, outputs.c_str(), "", target.to_string().c_str(),
                            statement.c_str(), dump.c_str(), "", words.data(),
                            words.size()) != 0) {
            say(base + ".error", words.data());
            return 1;
        }
        return 0;
    } catch (const Halide::Error &error) {
        say(base + ".error", error.what());
    } catch (const std::exception &error) {
        say(base + ".error", error.what());
    }
    return 1;
}

// Runs `act` in a copy of this process and waits for its end.
template<typename Act>
bool apart(Act act) {
    fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        // A compile that takes this long is not judged in time either. The time of the processor
        // does not depend on what else runs.
        const rlimit limit = {SECONDS, SECONDS};
        setrlimit(RLIMIT_CPU, &limit);
        _exit(act());
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

void collect(Halide::Pipeline &pipeline, const Target &whole) {
    const Target target = of_code(whole);
    const std::string folder = setting("HALIDOM_CENSUS_FOLDER");
    const int only = number("HALIDOM_CENSUS_ONLY", 0), most = number("HALIDOM_CENSUS_MOST", 3);
    const std::string base = folder + "/" + std::to_string(found + 1);
    const bool wanted = only == 0 || only == found + 1;
    // The file shows whether the pipeline is another one than those before.
    const std::string probe = folder + "/probe.hlpipe";
    remove(probe.c_str());
    apart([&] {
        try {
            Halide::serialize_pipeline(pipeline, probe);
            return 0;
        } catch (...) {
            return 1;
        }
    });
    if (!seen.insert(contents(probe) + target.to_string()).second) {
        return;
    }
    found++;
    if (wanted && !apart([&] { return write(pipeline, target, base); }) &&
        !std::ifstream(base + ".error")) {
        say(base + ".error", "the compile ends with a signal");
    }
    if (found == (only ? only : most)) {
        fflush(nullptr);
        _exit(0);
    }
}

using Original = Halide::Module (*)(Halide::Pipeline *, const std::vector<Halide::Argument> &,
                                    const std::string &, const Target &, Halide::LinkageType);

const char *const NAME =
    "_ZN6Halide8Pipeline17compile_to_moduleERKSt6vectorINS_8ArgumentESaIS2_EERKNSt7__cxx1112basic_"
    "stringIcSt11char_traitsIcESaIcEEERKNS_6TargetENS_11LinkageTypeE";

}  // namespace

Halide::Module Halide::Pipeline::compile_to_module(const std::vector<Argument> &args,
                                                   const std::string &name, const Target &target,
                                                   LinkageType linkage) {
    static const auto original = (Original)dlsym(RTLD_NEXT, NAME);
    if (depth == 0 && !setting("HALIDOM_CENSUS_FOLDER").empty()) {
        const Within within;
        collect(*this, target);
    }
    const Within within;
    return original(this, args, name, target, linkage);
}
