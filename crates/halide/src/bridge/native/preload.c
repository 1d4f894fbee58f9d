// The library that `LD_PRELOAD=$(halidom preload) ./program` puts in front of libHalide.so. It
// takes the place of `Pipeline::compile_to_module`, through which Halide passes every compile. A
// copy of the process writes the pipeline and the compiled statement to files. A judge,
// `halidom preload --judge`, reads the files and prints a summary.
//
// A libHalide.so that was linked with `-Bsymbolic-functions` calls its own `compile_to_module`.
// There the library takes the place of the functions that a program calls (entries.h), and the copy
// compiles once more.
//
// The program must not notice. Therefore:
//   * the library refers to no symbol of Halide, so a child process without Halide starts as usual;
//   * the system call makes the copies, and their end raises no signal, so `wait` does not find
//     them; everything that may fail or allocate happens in them;
//   * the copies write to no stream of the program, and keep none of its files open.
//
// This file is C, so that the library needs no C++ runtime of its own. Exceptions of Halide pass
// through `compile_to_module`, which has nothing to clean up.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef __x86_64__
#error "LD_PRELOAD is supported on x86-64 only"
#endif

// Given by the compiler's command line: the library that writes the files, the program that judges,
// its Python, and the size of the libHalide.so that the writer was compiled for.
static const char *const WRITER = HALIDOM_WRITER;
static const char *const JUDGE = HALIDOM_JUDGE;
static const char *const PYTHON = HALIDOM_PYTHON;
static const long long LIBRARY_SIZE = HALIDOM_LIBRARY_SIZE;

#define SYMBOL                                                                                     \
    "_ZN6Halide8Pipeline17compile_to_moduleERKSt6vectorINS_8ArgumentESaIS2_EERKNSt7__cxx1112basic" \
    "_stringIcSt11char_traitsIcESaIcEEERKNS_6TargetENS_11LinkageTypeE"

// A sentence that every Halide contains. It shows whether a program contains Halide itself.
static const char SENTENCE[] = "Can't compile undefined Pipeline";

// The limits of a copy that writes files.
enum { WRITER_SECONDS = 60, WRITERS = 8 };
static const rlim_t WRITER_MEMORY = (rlim_t)8 << 30;

// `Module Pipeline::compile_to_module(args, name, target, linkage)`, as the machine sees it: the
// place of the result, the pipeline, three references, a number.
typedef void *(*Compile)(void *, void *, const void *, const void *, const void *, int);

// A function with at most six arguments, none of them a float: it gets and returns what the machine
// has in its registers.
typedef void *(*Any)(void *, void *, void *, void *, void *, void *);

// A compile: the pipeline and the module that was made of it, or the func or pipeline and the
// target of a compile that is to be repeated. `code` is the called function of the program's
// Halide.
struct Seen {
    void *code;
    void *object;
    const void *module;
    int is_func;
    const void *target;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int begun;         // whether this library has tried to start the judge
    int usable;        // whether the judge was started
    int is_copy;       // whether this is a copy, which may compile for itself
    pid_t owner;       // the process that started it
    int jobs, done;    // the pipe to the judge, and the one from it
    struct stat pipes[2];
    long compiles;     // of this process
    pid_t writers[WRITERS];
    char folder[4096];
} state = {.jobs = -1, .done = -1};

static long number(const char *name, long otherwise) {
    const char *value = getenv(name);
    if (!value || !*value) {
        return otherwise;
    }
    char *end;
    const long found = strtol(value, &end, 10);
    return *end || found < 0 ? otherwise : found;
}

// Copies a variable of the environment, or another text if it is empty or missing.
static void named(const char *name, const char *otherwise, char *text, size_t size) {
    const char *value = getenv(name);
    snprintf(text, size, "%s", value && *value ? value : otherwise);
}

// What the variables of the environment say when the program begins. It may change or clear them
// later, and still is judged as its caller wants.
static struct {
    int strict;               // whether the worst verdict is the exit status
    long most, entries;
    char report[4096], executable[4096], temporary[4000];
    char **variables;         // the environment of the judge
} settings;

// The numbers of compiles of this process and of those that are forked from it: of all compiles,
// and of those that no judge could be told of, as the process had closed the file.
static struct Shared {
    long all, unheard;
} *shared;

// The process that loaded this library.
static pid_t root;

static void say(const char *words) {
    // Nothing can be done if nobody reads it.
    if (write(2, words, strlen(words)) < 0) {
    }
}

// Whether a library of Halide's name is loaded. Stops at the first.
static int is_halide(struct dl_phdr_info *info, size_t size, void *nothing) {
    (void)size;
    (void)nothing;
    const char *name = strrchr(info->dlpi_name, '/');
    return name && strncmp(name, "/libHalide.so", 13) == 0;
}

// A function that a loaded file or the files that it needs define. Nothing if it is our own one.
static void *defined(const char *path, const char *symbol) {
    void *file = path && *path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = file ? dlsym(file, symbol) : NULL;
    Dl_info own, where;
    if (found && dladdr((void *)defined, &own) && dladdr(found, &where) &&
        own.dli_fbase == where.dli_fbase) {
        found = NULL;
    }
    if (file) {
        dlclose(file);
    }
    return found;
}

// One of the loaded files, by its number.
struct Numbered {
    int left;
    char path[4096];
};

static int numbered(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    struct Numbered *wanted = out;
    if (wanted->left-- > 0) {
        return 0;
    }
    snprintf(wanted->path, sizeof wanted->path, "%s", info->dlpi_name);
    return 1;
}

// The function that a call at this address means, which this library has taken. A library that was
// loaded with names of its own, as a module of Python is, is no successor of this one: then the
// caller's file and what it needs come first, and all others after them.
static void *find(const char *symbol, void *caller) {
    void *found = dlsym(RTLD_NEXT, symbol);
    Dl_info of;
    if (!found && dladdr(caller, &of)) {
        found = defined(of.dli_fname, symbol);
    }
    struct Numbered file;
    for (int number = 0; !found; number++) {
        file.left = number;
        if (!dl_iterate_phdr(numbered, &file)) {
            // The dynamic linker would have ended the program in the same way.
            say("halidom: symbol lookup error: ");
            say(symbol);
            say("\n");
            _exit(127);
        }
        found = defined(file.path, symbol);
    }
    return found;
}

// Copies the process; the copy's end raises no signal.
static pid_t copy(void) {
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

// Makes a copy independent of the program: its handlers of signals must not run here, and its files
// must not stay open here. `keep` becomes number 3. In a session of its own it does not get the
// terminal's signals, such as that of Ctrl-C.
static void part(int keep, int in, int out) {
    setsid();
    struct sigaction normal = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++) {
        sigaction(signal, &normal, NULL);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int nothing = open("/dev/null", O_RDWR);
    // The numbers 0 to 3 may be those of the arguments.
    const int places[] = {in < 0 ? nothing : in, out < 0 ? nothing : out, keep};
    int high[3];
    for (int i = 0; i < 3; i++) {
        high[i] = places[i] < 0 ? -1 : fcntl(places[i], F_DUPFD, 16);
    }
    dup2(high[0], 0);
    dup2(high[1], 1);
    if (in < 0) {
        dup2(nothing, 2);
    }
    int first = 3;
    if (high[2] >= 0) {
        dup2(high[2], 3);
        first = 4;
    }
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) != 0) {
        for (int fd = first; fd < 4096; fd++) {
            close(fd);
        }
    }
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    setpriority(PRIO_PROCESS, 0, 10);
}

extern char **environ;

// The environment of the judge: without this library, which the programs that it starts must not
// have, and with a Python.
static char **environment(void) {
    size_t count = 0;
    while (environ && environ[count]) {
        count++;
    }
    char **made = calloc(count + 2, sizeof(char *));
    static char python[4200];
    if (!made) {
        return NULL;
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0) {
            made[at++] = environ[i];
        }
    }
    if (!getenv("HALIDOM_PYTHON") && *PYTHON) {
        snprintf(python, sizeof python, "HALIDOM_PYTHON=%s", PYTHON);
        made[at++] = python;
    }
    return made;
}

// Moves a file to a number that the program does not use, so that its own files keep their numbers.
static int moved(int fd) {
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 400);
    if (high < 0) {
        return fd;
    }
    close(fd);
    return high;
}

// Whether a number is still that of our pipe. The program may have closed it.
static int is_ours(int fd, const struct stat *pipe) {
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_ino == pipe->st_ino && about.st_dev == pipe->st_dev;
}

// Waits for a copy; whether it has ended.
static int awaited(pid_t pid, int *status, int options) {
    pid_t ended;
    do {
        ended = waitpid(pid, status, __WCLONE | options);
    } while (ended < 0 && errno == EINTR);
    return ended != 0;
}

// Starts the judge, which lives until the program and its copies have ended.
static void begin(void) {
    state.begun = 1;
    state.owner = getpid();
    const char *report = settings.report;
    const int kept = *report != 0;
    int made = 0;
    if (kept) {
        made = mkdir(report, 0700) == 0;
        snprintf(state.folder, sizeof state.folder, "%s", report);
        // Reports of several programs, or of several runs. Numbers of processes come again.
        for (int more = 1; !made && errno == EEXIST && more < 1000; more++) {
            const int length =
                snprintf(state.folder, sizeof state.folder, "%s/%d", report, (int)state.owner);
            if (more > 1 && length < (int)sizeof state.folder) {
                snprintf(state.folder + length, sizeof state.folder - length, "-%d", more);
            }
            made = mkdir(state.folder, 0700) == 0;
        }
    } else {
        snprintf(state.folder, sizeof state.folder, "%s/halidom-preload-XXXXXX",
                 settings.temporary);
        made = mkdtemp(state.folder) != NULL;
    }
    // The program may change its folder.
    char *whole = made ? realpath(state.folder, NULL) : NULL;
    if (!whole || strlen(whole) >= sizeof state.folder) {
        say(kept ? "halidom: HALIDOM_PRELOAD_REPORT is no folder that can be made\n"
                 : "halidom: there is no folder for temporary files\n");
        free(whole);
        return;
    }
    strcpy(state.folder, whole);
    free(whole);
    int jobs[2], done[2];
    if (pipe2(jobs, O_CLOEXEC) != 0) {
        return;
    }
    if (pipe2(done, O_CLOEXEC) != 0) {
        close(jobs[0]);
        close(jobs[1]);
        return;
    }
    jobs[1] = moved(jobs[1]);
    done[0] = moved(done[0]);
    fstat(jobs[1], &state.pipes[0]);
    fstat(done[0], &state.pipes[1]);
    char **variables = settings.variables;
    const char *judge = *settings.executable ? settings.executable : JUDGE;
    char *const words[] = {(char *)judge, "preload", "--judge",
                           state.folder,  kept ? "--keep" : NULL, NULL};
    // A program that is started has a signal for its end. So it must be the child of another copy,
    // which ends at once.
    const pid_t between = variables ? copy() : -1;
    if (between == 0) {
        const pid_t started = copy();
        if (started != 0) {
            _exit(started > 0 ? 0 : 1);
        }
        part(-1, jobs[0], done[1]);
        execve(judge, words, variables);
        _exit(127);
    }
    close(jobs[0]);
    close(done[1]);
    state.jobs = jobs[1];
    state.done = done[0];
    int status = 1;
    state.usable = between > 0 && awaited(between, &status, 0) && status == 0;
}

// Sends a line to the judge. A line is short enough to arrive whole. The judge may be gone, which
// must not raise a signal here.
static void tell(int fd, const char *line) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    if (write(fd, line, strlen(line)) < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
        const struct timespec at_once = {0, 0};
        sigtimedwait(&pipe, NULL, &at_once);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Writes the files of a pipeline, in a copy of the process.
static void written(const struct Seen *what, const char *name) {
    char base[4200], words[1024] = "", line[2048];
    state.is_copy = 1;
    part(state.jobs, -1, -1);
    const struct rlimit seconds = {WRITER_SECONDS, WRITER_SECONDS};
    const struct rlimit memory = {WRITER_MEMORY, WRITER_MEMORY};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_DATA, &memory);
    // A lock that another thread held when the copy was made is never released.
    alarm(2 * WRITER_SECONDS);
    snprintf(base, sizeof base, "%s/%s", state.folder, name);
    Dl_info where;
    struct stat about;
    const char *mark = "done";
    if (!dladdr(what->code, &where) || stat(where.dli_fname, &about) != 0 ||
        about.st_size != LIBRARY_SIZE) {
        snprintf(words, sizeof words,
                 "the program loads another libHalide.so than the one that `halidom preload` was "
                 "compiled for");
        mark = "failed";
    } else {
        void *writer = dlopen(WRITER, RTLD_NOW | RTLD_LOCAL);
        int (*write)(void *, const void *, const char *, char *, size_t) = NULL;
        int (*compile)(void *, int, const void *, const char *, char *, size_t) = NULL;
        if (writer) {
            *(void **)&write = dlsym(writer, "halidom_write");
            *(void **)&compile = dlsym(writer, "halidom_compile_and_write");
        }
        if (!write || !compile) {
            const char *error = dlerror();
            snprintf(words, sizeof words, "the library that writes pipelines cannot be loaded: %s",
                     error ? error : "");
            mark = "failed";
        } else {
            const int status =
                what->module ? write(what->object, what->module, base, words, sizeof words)
                             : compile(what->object, what->is_func, what->target, base, words,
                                       sizeof words);
            mark = status != 0 ? "failed" : mark;
        }
    }
    for (char *c = words; *c; c++) {
        if (*c == '\n') {
            *c = ' ';
        }
    }
    snprintf(line, sizeof line, "%s %s %s\n", mark, name, words);
    tell(3, line);
    _exit(0);
}

// Waits for copies that have ended, or for all.
static void reap(int all) {
    for (int i = 0; i < WRITERS; i++) {
        if (state.writers[i] > 0 && awaited(state.writers[i], NULL, all ? 0 : WNOHANG)) {
            state.writers[i] = 0;
        }
    }
}

static void seen(const struct Seen *what) {
    if (state.is_copy) {
        return;
    }
    const int error = errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    static pid_t last;
    static unsigned long tag;
    const pid_t own = getpid();
    if (last != own) {
        // The copies belong to the process that this one was forked from.
        last = own;
        struct timespec now = {0, 0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        tag = (unsigned long)now.tv_sec * 1000000000 + (unsigned long)now.tv_nsec;
        memset(state.writers, 0, sizeof state.writers);
    }
    const long at = ++state.compiles;
    if (!state.begun) {
        begin();
    }
    const int heard = state.usable && is_ours(state.jobs, &state.pipes[0]);
    if (shared) {
        __atomic_add_fetch(&shared->all, 1, __ATOMIC_RELAXED);
        __atomic_add_fetch(&shared->unheard, state.usable && !heard, __ATOMIC_RELAXED);
    }
    if (heard && at > settings.most) {
        tell(state.jobs, "skipped\n");
    } else if (heard) {
        reap(0);
        int free_one = -1;
        for (int i = 0; i < WRITERS && free_one < 0; i++) {
            free_one = state.writers[i] == 0 ? i : -1;
        }
        if (free_one < 0) {
            reap(1);
            free_one = 0;
        }
        char name[64], line[128];
        if (own == state.owner) {
            snprintf(name, sizeof name, "%ld", at);
        } else {
            // Processes of several namespaces may have one number.
            snprintf(name, sizeof name, "%d-%lx-%ld", (int)own, tag, at);
        }
        snprintf(line, sizeof line, "begun %s\n", name);
        tell(state.jobs, line);
        const pid_t writer = copy();
        if (writer == 0) {
            written(what, name);
        }
        if (writer < 0) {
            snprintf(line, sizeof line, "failed %s the process cannot be copied\n", name);
            tell(state.jobs, line);
        }
        state.writers[free_one] = writer > 0 ? writer : 0;
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
}

__attribute__((visibility("default"))) void *halidom_compile_to_module(
    void *module, void *pipeline, const void *args, const void *name, const void *target,
    int linkage) __asm__(SYMBOL);

void *halidom_compile_to_module(void *module, void *pipeline, const void *args, const void *name,
                                const void *target, int linkage) {
    Compile original;
    void *code = find(SYMBOL, __builtin_return_address(0));
    *(void **)&original = code;
    void *made = original(module, pipeline, args, name, target, linkage);
    if (settings.entries == 0) {
        const struct Seen what = {.code = code, .object = pipeline, .module = made};
        seen(&what);
    }
    return made;
}

// Whether the loaded file at an address refers to `compile_to_module` by name, and so to this
// library's one.
struct Reference {
    void *base;
    int answer;
};

static int refers(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    struct Reference *reference = out;
    if ((void *)info->dlpi_addr != reference->base) {
        return 0;
    }
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
            entry = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        }
    }
    const ElfW(Rela) *tables[2] = {NULL, NULL};
    size_t sizes[2] = {0, 0};
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        switch (entry->d_tag) {
        case DT_JMPREL: tables[0] = (const void *)entry->d_un.d_ptr; break;
        case DT_PLTRELSZ: sizes[0] = entry->d_un.d_val; break;
        case DT_RELA: tables[1] = (const void *)entry->d_un.d_ptr; break;
        case DT_RELASZ: sizes[1] = entry->d_un.d_val; break;
        case DT_SYMTAB: symbols = (const void *)entry->d_un.d_ptr; break;
        case DT_STRTAB: strings = (const char *)entry->d_un.d_ptr; break;
        default: break;
        }
    }
    for (int table = 0; table < 2 && symbols && strings; table++) {
        for (size_t i = 0; tables[table] && i < sizes[table] / sizeof(ElfW(Rela)); i++) {
            const size_t symbol = ELF64_R_SYM(tables[table][i].r_info);
            if (symbol && strcmp(strings + symbols[symbol].st_name, SYMBOL) == 0) {
                reference->answer = 1;
            }
        }
    }
    return 1;
}

// A program calls a function that compiles.
static void entered(void *code, void *object, int is_func, const void *target) {
    // The answer is kept, as there are many relocations.
    static __thread struct Reference known;
    Dl_info where;
    if (dladdr(code, &where) && known.base != where.dli_fbase) {
        known = (struct Reference){.base = where.dli_fbase};
        dl_iterate_phdr(refers, &known);
    }
    // The variable is for tests.
    if (!known.answer || settings.entries != 0) {
        const struct Seen what = {
            .code = code, .object = object, .is_func = is_func, .target = target};
        seen(&what);
    }
}

#define ENTRY(id, is_func, symbol, self, target)                                                   \
    __attribute__((visibility("default"))) void *id(void *, void *, void *, void *, void *,        \
                                                    void *) __asm__(symbol);                       \
    void *id(void *a, void *b, void *c, void *d, void *e, void *f) {                               \
        Any original;                                                                              \
        void *code = find(symbol, __builtin_return_address(0));                                    \
        *(void **)&original = code;                                                                \
        void *const words[] = {a, b, c, d, e, f};                                                  \
        entered(code, words[self], is_func, words[target]);                                        \
        return original(a, b, c, d, e, f);                                                         \
    }
#include "entries.h"

// Tells if the program itself contains Halide. The program is the first entry.
static int contains(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && !(segment->p_flags & PF_W) &&
            memmem((const void *)(info->dlpi_addr + segment->p_vaddr), segment->p_filesz, SENTENCE,
                   sizeof SENTENCE - 1)) {
            *(int *)out = 1;
        }
    }
    return 1;
}

// Tells if the program contains Halide itself, and then prints why nothing was seen.
static int excuse(void) {
    int answer = 0;
    if (!dl_iterate_phdr(is_halide, NULL)) {
        dl_iterate_phdr(contains, &answer);
    }
    if (answer) {
        say("halidom: this program contains Halide itself (it is linked with a static libHalide), "
            "so its compiles are not seen: link it with libHalide.so\n");
    }
    return answer;
}

// The exit status of the worst verdict, or 3 where there is none. Waits for the verdicts.
static int worst(void) {
    if (!state.usable) {
        say("halidom: the judge cannot be started\n");
        return 3;
    }
    if (!is_ours(state.jobs, &state.pipes[0]) || !is_ours(state.done, &state.pipes[1])) {
        // The program has closed its files, and the judge has noticed the end of what it hears.
        return 3;
    }
    reap(1);
    tell(state.jobs, "end\n");
    char answer[64] = "";
    size_t length = 0;
    while (length + 1 < sizeof answer && !strchr(answer, '\n')) {
        const ssize_t got = read(state.done, answer + length, sizeof answer - 1 - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        length += (size_t)got;
        answer[length] = '\0';
    }
    int found = 3;
    if (sscanf(answer, "done %d", &found) != 1) {
        say("halidom: the judge cannot be started, or has failed\n");
    }
    if (shared && __atomic_load_n(&shared->unheard, __ATOMIC_RELAXED) > 0) {
        say("halidom: some compiles were not judged: their process had closed the files that it "
            "did not open\n");
        found = found == 0 ? 3 : found;
    }
    return found;
}

// Runs when the program ends by `exit`, or by returning from `main`. When it ends in another way,
// the judge notices and prints the summary later.
static void end(int status, void *nothing) {
    (void)nothing;
    int found = 0;
    if (state.compiles == 0) {
        found = excuse() ? 3 : 0;
        if (settings.strict && root == getpid() && shared &&
            __atomic_load_n(&shared->all, __ATOMIC_RELAXED) > 0) {
            say("halidom: processes that were forked have compiled, and their verdicts are not "
                "known here\n");
            found = 3;
        }
    } else if (state.owner == getpid()) {
        found = worst();
    }
    // The system keeps eight bits of the status.
    if (settings.strict && (status & 0xff) == 0 && found != 0) {
        fflush(NULL);
        _exit(found);
    }
}

static void locked(void) {
    pthread_mutex_lock(&lock);
}

static void unlocked(void) {
    pthread_mutex_unlock(&lock);
}

// A handler that is registered before all others runs after them. A child that is forked while
// another thread is in `seen` must not find the lock taken.
__attribute__((constructor)) static void registered(void) {
    const char *strict = getenv("HALIDOM_PRELOAD_STRICT");
    settings.strict = strict && *strict && strcmp(strict, "0") != 0;
    settings.most = number("HALIDOM_PRELOAD_MOST", 200);
    settings.entries = number("HALIDOM_PRELOAD_ENTRIES", 0);
    named("HALIDOM_PRELOAD_REPORT", "", settings.report, sizeof settings.report);
    named("HALIDOM_EXECUTABLE", "", settings.executable, sizeof settings.executable);
    named("TMPDIR", "/tmp", settings.temporary, sizeof settings.temporary);
    settings.variables = environment();
    void *numbers =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = numbers == MAP_FAILED ? NULL : numbers;
    root = getpid();
    on_exit(end, NULL);
    pthread_atfork(locked, unlocked, unlocked);
}
