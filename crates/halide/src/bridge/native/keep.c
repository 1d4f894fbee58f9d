// The library that is put in front of a generator's Halide. It takes the place of
// `Pipeline::compile_to_module`, through which Halide passes every compile. A copy of the process
// writes the pipeline and the compiled statement to files, so that names that Halide makes up later
// are the same.
//
// The variables are set by the program that starts the generator: the folder of the files; the
// bridge's library, which writes them; the size of the libHalide.so for which this was compiled. A
// generator with another Halide is left alone.
//
// `N.begun` exists if the compile with number N was seen, `N.name` has the name of its function,
// and `N.done` exists if `N.hlpipe` and `N.dump` are whole.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYMBOL                                                                                     \
    "_ZN6Halide8Pipeline17compile_to_moduleERKSt6vectorINS_8ArgumentESaIS2_EERKNSt7__cxx1112basic" \
    "_stringIcSt11char_traitsIcESaIcEEERKNS_6TargetENS_11LinkageTypeE"

enum { SECONDS = 120 };

// `Module Pipeline::compile_to_module(args, name, target, linkage)`, as the machine sees it: the
// place of the result, the pipeline, three references, a number.
typedef void *(*Compile)(void *, void *, const void *, const void *, const void *, int);

typedef int (*Keep)(void *, const void *, const char *, char *, size_t);

// The variables, and the process that has them: neither programs that it starts nor copies of it
// write files.
static char folder[4000], writer[4000];
static long long size;
static pid_t owner;

static void take(const char *name, char *out, size_t most) {
    const char *value = getenv(name);
    snprintf(out, most, "%s", value ? value : "");
    unsetenv(name);
}

__attribute__((constructor)) static void begin(void) {
    char digits[32];
    take("HALIDOM_KEEP_FOLDER", folder, sizeof folder);
    take("HALIDOM_KEEP_WRITER", writer, sizeof writer);
    take("HALIDOM_KEEP_SIZE", digits, sizeof digits);
    size = atoll(digits);
    owner = getpid();
}

static void touch(int number, const char *extension) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%d.%s", folder, number, extension);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file >= 0) {
        close(file);
    }
}

// Writes the files. Runs in a copy of the process.
static void write_files(int number, void *code, void *pipeline, const void *module) {
    const int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++) {
        dup2(nothing, fd);
    }
    // A lock that another thread held when the copy was made is never released.
    alarm(SECONDS);
    Dl_info where;
    struct stat about;
    if (!dladdr(code, &where) || stat(where.dli_fname, &about) != 0 ||
        (long long)about.st_size != size) {
        return;
    }
    void *library = dlopen(writer, RTLD_NOW | RTLD_LOCAL);
    Keep keep = NULL;
    if (library) {
        *(void **)&keep = dlsym(library, "halidom_keep");
    }
    char base[4200], words[1024];
    snprintf(base, sizeof base, "%s/%d", folder, number);
    if (keep && keep(pipeline, module, base, words, sizeof words) == 0) {
        touch(number, "done");
    }
}

__attribute__((visibility("default"))) void *halidom_kept(void *, void *, const void *,
                                                          const void *, const void *,
                                                          int) __asm__(SYMBOL);

void *halidom_kept(void *module, void *pipeline, const void *args, const void *name,
                   const void *target, int linkage) {
    static int compiles;
    Compile original;
    void *code = dlsym(RTLD_NEXT, SYMBOL);
    if (!code) {
        fputs("halidom: symbol lookup error: " SYMBOL "\n", stderr);
        _exit(127);
    }
    *(void **)&original = code;
    void *made = original(module, pipeline, args, name, target, linkage);
    if (!*folder || getpid() != owner) {
        return made;
    }
    const int error = errno;
    const int number = __sync_add_and_fetch(&compiles, 1);
    touch(number, "begun");
    const pid_t copy = fork();
    if (copy == 0) {
        write_files(number, code, pipeline, made);
        _exit(0);
    }
    while (copy > 0 && waitpid(copy, NULL, 0) < 0 && errno == EINTR) {
    }
    errno = error;
    return made;
}
