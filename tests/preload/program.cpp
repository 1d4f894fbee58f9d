// A program for tests of `halidom preload`: `program KIND [STATUS]` compiles pipelines in this
// process and prints everything that a library in front of Halide could change.

#include "Halide.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace Halide;

namespace {

volatile sig_atomic_t ended = 0;

void count(int) {
    ended = ended + 1;
}

// The type of `seed` keeps the pipelines of different seeds apart.
int right(int seed) {
    Buffer<uint8_t> image(64, 64);
    image.fill(3);
    Var x("x"), y("y");
    Func twice("twice"), sum("sum");
    twice(x, y) = cast<uint16_t>(image(x, y)) * 2 + seed;
    sum(x, y) = twice(x, y) + twice(x + 1, y);
    twice.compute_at(sum, y);
    Buffer<uint16_t> out = sum.realize({32, 32});
    for (int i = 0; i < 5; i++) {
        sum.realize(out);
    }
    return out(3, 3);
}

int wrong() {
    Var x("x");
    Func difference("difference");
    ImageParam a(Int(8), 1, "a"), b(UInt(8), 1, "b");
    const Expr negated = cast<uint8_t>(cast<int16_t>(b(x)) * cast<int16_t>(-1));
    difference(x) = cast<int16_t>(a(x)) - cast<int16_t>(negated);
    difference.vectorize(x, 16, TailStrategy::RoundUp);
    Buffer<int8_t> left(64);
    Buffer<uint8_t> other(64);
    left.fill(1);
    other.fill(5);
    a.set(left);
    b.set(other);
    Buffer<int16_t> out = difference.realize({64});
    return out(0);
}

// Three compiles of one pipeline; the last one for values of a smaller range.
int again() {
    Var x("x"), y("y");
    Param<int> size("size");
    Func twice("twice"), sum("sum");
    twice(x, y) = x * 2 + y;
    sum(x, y) = twice(x, y) + twice(x + min(size, 9), y);
    twice.compute_at(sum, y);
    for (int i = 0; i < 3; i++) {
        if (i == 2) {
            size.set_range(0, 5);
        }
        sum.compile_to_module({size}, "sum");
    }
    return 3;
}

// A func without a definition, which Halide refuses.
const char *refused() {
    try {
        Func none("none");
        none.realize({4});
    } catch (const CompileError &) {
        return "refused";
    }
    return "accepted";
}

struct Reporter : CompileTimeErrorReporter {
    void warning(const char *) override {
    }
    void error(const char *) override {
        printf("reported\n");
        fflush(stdout);
        _exit(9);
    }
};

}  // namespace

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    // Text that is not written yet must not be written twice.
    printf("kind %s\n", kind);
    signal(SIGCHLD, count);
    if (!strcmp(kind, "right")) {
        printf("%d\n", right(1));
    } else if (!strcmp(kind, "wrong")) {
        printf("%d\n", wrong());
    } else if (!strcmp(kind, "throw")) {
        printf("%s %d %s\n", refused(), right(1), refused());
    } else if (!strcmp(kind, "reporter")) {
        Reporter reporter;
        set_custom_compile_time_error_reporter(&reporter);
        printf("%d\n", right(1));
        fflush(stdout);
        refused();
    } else if (!strcmp(kind, "threads")) {
        std::vector<std::thread> threads;
        std::vector<int> values(8);
        for (int i = 0; i < 8; i++) {
            threads.emplace_back([&values, i]() { values[i] = right(i + 1); });
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        for (int value : values) {
            printf("%d\n", value);
        }
    } else if (!strcmp(kind, "fork")) {
        printf("%d\n", right(1));
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            printf("child %d\n", right(2));
            fflush(stdout);
            _exit(5);
        }
        int status = 0;
        const pid_t found = wait(&status);
        printf("%d %d\n", found == child, WEXITSTATUS(status));
    } else if (!strcmp(kind, "again")) {
        printf("%d\n", again());
    } else if (!strcmp(kind, "orphan")) {
        // The child compiles when its parent has ended.
        const pid_t parent = getpid();
        printf("%d\n", wrong());
        fflush(stdout);
        if (fork() == 0) {
            while (getppid() == parent) {
                usleep(10000);
            }
            right(2);
            _exit(0);
        }
        return 0;
    } else if (!strcmp(kind, "cleared")) {
        clearenv();
        printf("%d\n", wrong());
    } else if (!strcmp(kind, "deaf")) {
        // The child cannot tell anybody of its compile.
        printf("%d\n", right(1));
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            for (int fd = 3; fd < 1024; fd++) {
                close(fd);
            }
            wrong();
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    } else if (!strcmp(kind, "pool")) {
        // The child alone compiles.
        const pid_t child = fork();
        if (child == 0) {
            wrong();
            _exit(0);
        }
        waitpid(child, nullptr, 0);
    } else if (!strcmp(kind, "abort")) {
        printf("%d\n", right(1));
        fflush(stdout);
        abort();
    } else if (!strcmp(kind, "leave")) {
        printf("%d\n", right(1));
        fflush(stdout);
        _exit(5);
    } else if (!strcmp(kind, "close")) {
        // As a program does that becomes a daemon; its later files must not be written to.
        printf("%d\n", right(1));
        for (int fd = 3; fd < 1024; fd++) {
            close(fd);
        }
        FILE *file = tmpfile();
        for (int fd = fileno(file) + 1; fd < 1000; fd++) {
            dup2(fileno(file), fd);
        }
        printf("%d\n", right(2));
        fseek(file, 0, SEEK_END);
        printf("%ld bytes\n", ftell(file));
    }
    // Names that Halide makes up, numbers of files, children, signals.
    Func next, named("named");
    printf("%s %s\n", next.name().c_str(), named.name().c_str());
    const int file = open("/dev/null", O_RDONLY);
    printf("file %d\n", strcmp(kind, "close") ? file : 0);
    errno = 0;
    const pid_t more = wait(nullptr);
    printf("wait %d %d, ended %d\n", (int)more, errno == ECHILD, (int)ended);
    return argc > 2 ? atoi(argv[2]) : 7;
}
