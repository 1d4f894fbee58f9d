// Runs a compiled pipeline on many cases, each in a process of its own, in memory that ends where
// the case's memory ends.
//
// `runner LIBRARY NAME CASES RESULTS MILLISECONDS`: `bridge::built` in Rust writes CASES and reads
// RESULTS, in this machine's byte order. The result of a case is the contents of its buffers'
// memory when its process ends. A faulting page lies before and after each memory. Memory that the
// pipeline allocates has the same layout, unless the case says that accessible bytes surround it.
// It is filled with the case's byte, and faults once it is freed. Freeing memory that was not
// allocated ends the process.

// If this program is compiled with AddressSanitizer, for code that is, the pipeline's memory comes
// from the sanitizer instead, in exactly its size, and a report of the sanitizer ends a case.

#include "HalideRuntime.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
extern "C" void __asan_set_error_report_callback(void (*)(const char *));
extern "C" const char *__asan_default_options() {
    return "exitcode=77:detect_leaks=0:allocator_may_return_null=1";
}
#endif

namespace {

// The exit status of a process that the sanitizer ends.
const int REPORTED = 77;

const size_t PAGE = 4096;
const size_t WORDS = 4096;

// The greatest memory of a process: a wrong size must not take all of the machine's memory.
const rlim_t MOST_MEMORY = (rlim_t)16 << 30;

enum Ending : uint8_t { DONE = 0,
                        FAILED = 1,
                        CRASHED = 2,
                        LATE = 3,
                        SEEN = 4 };

// Memory between two faulting pages: the address and the size of the mapping, and the memory. With
// `at_end` it ends where the second page begins, as far as `alignment` permits.
struct Guarded {
    uint8_t *mapping = nullptr;
    size_t mapped = 0;
    uint8_t *memory = nullptr;
};

Guarded guarded(size_t size, size_t alignment, bool at_end, int sharing) {
    Guarded made;
    const size_t pages = (size + alignment + PAGE - 1) / PAGE * PAGE;
    made.mapped = pages + 2 * PAGE;
    void *mapping =
        mmap(nullptr, made.mapped, PROT_NONE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        return {};
    }
    made.mapping = (uint8_t *)mapping;
    if (mprotect(made.mapping + PAGE, pages, PROT_READ | PROT_WRITE) != 0) {
        munmap(mapping, made.mapped);
        return {};
    }
    made.memory = made.mapping + PAGE;
    if (at_end) {
        const uintptr_t address = (uintptr_t)(made.mapping + PAGE + pages - size);
        made.memory = (uint8_t *)(address / alignment * alignment);
    }
    return made;
}

// The alignment of memory for the pipeline, as code for vectors of 64 bytes expects.
const size_t VECTOR = 64;

// The mappings that are allocated and not yet freed. Concurrent tasks of a pipeline allocate and
// free.
struct Lock {
    volatile int held = 0;
    void lock() {
        while (__sync_lock_test_and_set(&held, 1)) {
        }
    }
    void unlock() {
        __sync_lock_release(&held);
    }
} lock;
std::vector<std::pair<void *, Guarded>> *all_taken = nullptr;

// The initial value of each byte that the pipeline allocates, and whether accessible bytes of this
// value surround the memory.
int fill = 0;
bool surrounded = false;

void *halidom_malloc(void *context, size_t size) {
    const size_t around = surrounded ? PAGE : 0;
    Guarded made = guarded(size + 2 * around, VECTOR, true, MAP_PRIVATE);
    (void)context;
    if (!made.mapping) {
        return nullptr;
    }
    made.memory += around;
    memset(made.mapping + PAGE, fill, made.mapped - 2 * PAGE);
    lock.lock();
    all_taken->push_back({made.memory, made});
    lock.unlock();
    return made.memory;
}

void halidom_free(void *, void *memory) {
    if (!memory) {
        return;
    }
    lock.lock();
    for (auto &taken : *all_taken) {
        if (taken.first == memory) {
            // The addresses are not reused, so that a use after free faults.
            mprotect(taken.second.mapping, taken.second.mapped, PROT_NONE);
            madvise(taken.second.mapping, taken.second.mapped, MADV_DONTNEED);
            taken = all_taken->back();
            all_taken->pop_back();
            lock.unlock();
            return;
        }
    }
    lock.unlock();
    abort();
}

#ifdef __SANITIZE_ADDRESS__
void *sanitized_malloc(void *, size_t size) {
    void *memory = nullptr;
    return posix_memalign(&memory, VECTOR, size) == 0 ? memory : nullptr;
}

void sanitized_free(void *, void *memory) {
    free(memory);
}
#endif

char *words = nullptr;

void note_error(void *, const char *said) {
    if (words[0] == '\0') {
        snprintf(words, WORDS, "%s", said);
    }
}

struct Input {
    const std::vector<uint8_t> &bytes;
    size_t at = 0;
    bool ended = false;

    template<typename T>
    T next() {
        T value{};
        if (at + sizeof value > bytes.size()) {
            ended = true;
            return value;
        }
        memcpy(&value, bytes.data() + at, sizeof value);
        at += sizeof value;
        return value;
    }

    const uint8_t *run(size_t size) {
        if (size > bytes.size() - at) {
            ended = true;
            return nullptr;
        }
        at += size;
        return bytes.data() + at - size;
    }
};

struct Given {
    bool is_buffer = false;
    uint64_t scalar = 0;
    halide_buffer_t buffer = {};
    std::vector<halide_dimension_t> dims;
    Guarded place;
    size_t size = 0;
};

std::vector<uint8_t> read_file(const char *path) {
    std::vector<uint8_t> bytes;
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "error: `%s` cannot be read\n", path);
        exit(2);
    }
    uint8_t part[1 << 16];
    while (size_t count = fread(part, 1, sizeof part, file)) {
        bytes.insert(bytes.end(), part, part + count);
    }
    fclose(file);
    return bytes;
}

typedef int (*Pipeline)(void **);

}  // namespace

int main(int argc, char **argv) {
    if (argc != 6) {
        fprintf(stderr, "error: five words are wanted\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "error: %s\n", dlerror());
        return 2;
    }
    const Pipeline pipeline = (Pipeline)dlsym(library, (std::string(argv[2]) + "_argv").c_str());
    using OnError = void (*)(void *, const char *);
    using Malloc = void *(*)(void *, size_t);
    using Free = void (*)(void *, void *);
    const auto set_error = (OnError(*)(OnError))dlsym(library, "halide_set_error_handler");
    const auto set_malloc = (Malloc(*)(Malloc))dlsym(library, "halide_set_custom_malloc");
    const auto set_free = (Free(*)(Free))dlsym(library, "halide_set_custom_free");
    if (!pipeline || !set_error || !set_malloc || !set_free) {
        fprintf(stderr, "error: the library lacks a function\n");
        return 2;
    }
    all_taken = new std::vector<std::pair<void *, Guarded>>;
    words = (char *)mmap(nullptr, WORDS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *results = fopen(argv[4], "wb");
    const long limit = atol(argv[5]);
    if (words == MAP_FAILED || !results || limit <= 0) {
        fprintf(stderr, "error: no memory, or no file for results\n");
        return 2;
    }
    const std::vector<uint8_t> bytes = read_file(argv[3]);
    Input input{bytes};
    const uint32_t count = input.next<uint32_t>();
    for (uint32_t number = 0; number < count && !input.ended; number++) {
        const bool at_end = input.next<uint32_t>() == 0;
        fill = (int)input.next<uint32_t>();
        surrounded = input.next<uint32_t>() != 0;
        const uint32_t arguments = input.next<uint32_t>();
        if (input.ended || arguments > 4096) {
            fprintf(stderr, "error: a damaged case\n");
            return 2;
        }
        std::vector<Given> given(arguments);
        std::vector<void *> values;
        for (Given &argument : given) {
            argument.is_buffer = input.next<uint32_t>() != 0;
            if (!argument.is_buffer) {
                argument.scalar = input.next<uint64_t>();
                values.push_back(&argument.scalar);
                continue;
            }
            argument.buffer.type.code = (halide_type_code_t)input.next<uint8_t>();
            argument.buffer.type.bits = input.next<uint8_t>();
            argument.buffer.type.lanes = input.next<uint16_t>();
            argument.buffer.dimensions = (int32_t)input.next<uint32_t>();
            if (input.ended || argument.buffer.dimensions < 0 || argument.buffer.dimensions > 256) {
                fprintf(stderr, "error: a damaged case\n");
                return 2;
            }
            for (int d = 0; d < argument.buffer.dimensions; d++) {
                const int32_t min = input.next<int32_t>(), extent = input.next<int32_t>();
                const int32_t stride = input.next<int32_t>();
                argument.dims.push_back({min, extent, stride, 0});
            }
            argument.buffer.dim = argument.dims.data();
            const uint32_t alignment = input.next<uint32_t>();
            const uint64_t offset = input.next<uint64_t>();
            argument.size = (size_t)input.next<uint64_t>();
            const uint8_t *contents = input.run(argument.size);
            if (input.ended) {
                break;
            }
            argument.place = guarded(argument.size, alignment ? alignment : 1, at_end, MAP_SHARED);
            if (!argument.place.mapping) {
                fprintf(stderr, "error: no memory for a case\n");
                return 2;
            }
            memcpy(argument.place.memory, contents, argument.size);
            argument.buffer.host = argument.place.memory + offset;
            values.push_back(&argument.buffer);
        }
        if (input.ended) {
            fprintf(stderr, "error: a damaged case\n");
            return 2;
        }
        words[0] = '\0';
        fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            const rlimit none = {0, 0}, memory = {MOST_MEMORY, MOST_MEMORY};
            setrlimit(RLIMIT_CORE, &none);
#ifdef __SANITIZE_ADDRESS__
            (void)memory;
            __asan_set_error_report_callback(
                [](const char *report) { note_error(nullptr, report); });
            set_malloc(sanitized_malloc);
            set_free(sanitized_free);
#else
            setrlimit(RLIMIT_AS, &memory);
            set_malloc(halidom_malloc);
            set_free(halidom_free);
#endif
            signal(SIGALRM, SIG_DFL);
            const itimerval timer = {{0, 0}, {limit / 1000, limit % 1000 * 1000}};
            setitimer(ITIMER_REAL, &timer, nullptr);
            set_error(note_error);
            // An error code can be any integer; an exit status has eight bits.
            const int status = pipeline(values.data());
            if (status != 0 && words[0] == '\0') {
                snprintf(words, WORDS, "error %d", status);
            }
            _exit(status == 0 ? 0 : 1);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) {
            fprintf(stderr, "error: no process for a case\n");
            return 2;
        }
        uint8_t ending = CRASHED;
        int32_t code = 0;
        if (WIFSIGNALED(status)) {
            code = WTERMSIG(status);
            ending = code == SIGALRM ? LATE : CRASHED;
        } else {
            code = WEXITSTATUS(status);
            ending = code == 0 ? DONE : code == REPORTED ? SEEN :
                                                           FAILED;
        }
        const uint32_t length = (uint32_t)strnlen(words, WORDS - 1);
        fwrite(&ending, 1, 1, results);
        fwrite(&code, sizeof code, 1, results);
        fwrite(&length, sizeof length, 1, results);
        fwrite(words, 1, length, results);
        for (Given &argument : given) {
            if (argument.is_buffer) {
                if (ending == DONE) {
                    fwrite(argument.place.memory, 1, argument.size, results);
                }
                munmap(argument.place.mapping, argument.place.mapped);
            }
        }
    }
    return fclose(results) == 0 ? 0 : 2;
}
