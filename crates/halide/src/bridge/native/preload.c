// The library that `LD_PRELOAD=$(halidom preload) ./program` puts in front of libHalide.so. It takes
// the place of `Pipeline::compile_to_module`, through which Halide passes every compile, and has
// the pipeline and the compiled statement written to files by a copy of the process. A judge,
// `halidom preload --judge`, reads the files and prints a summary.
//
// The program must not notice. So
//   * no symbol of Halide is referred to: a child process without Halide starts as ever;
//   * the copies are made by the system call, without the signal that a child's end would raise, and
//     so `wait` does not find them; everything that may fail or allocate happens in them;
//   * the copies write to no stream of the program, and hold none of its files open.
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
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
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

// A sentence of every Halide, by which one inside of a program is found.
static const char SENTENCE[] = "Can't compile undefined Pipeline";

// The limits of a copy that writes files.
enum { WRITER_SECONDS = 60, WRITERS = 8 };
static const rlim_t WRITER_MEMORY = (rlim_t)8 << 30;

// `Module Pipeline::compile_to_module(args, name, target, linkage)`, as the machine sees it: the
// place of the result, the pipeline, three references, a number.
typedef void *(*Compile)(void *, void *, const void *, const void *, const void *, int);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    Compile original;
    int begun;         // whether the judge was started
    int usable;        // whether it could be
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

static void say(const char *words) {
    // Nothing can be done if nobody reads it.
    if (write(2, words, strlen(words)) < 0) {
    }
}

// The path of the libHalide.so that is loaded, if one is. A library that was loaded later, as a
// module of Python is, is not among the next ones.
static int is_halide(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    const char *name = strrchr(info->dlpi_name, '/');
    if (name && strncmp(name, "/libHalide.so", 13) == 0) {
        *(const char **)out = info->dlpi_name;
        return 1;
    }
    return 0;
}

static Compile find(void) {
    Compile found = (Compile)dlsym(RTLD_NEXT, SYMBOL);
    const char *path = NULL;
    if (!found && dl_iterate_phdr(is_halide, &path)) {
        void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
        found = library ? (Compile)dlsym(library, SYMBOL) : NULL;
    }
    return found;
}

// Copies the process; the copy's end raises no signal.
static pid_t copy(void) {
    return (pid_t)syscall(SYS_clone, 0UL, NULL, NULL, NULL, 0UL);
}

// Makes a copy independent of the program: its handlers of signals must not run here, and its files
// must not stay open here. `keep` becomes number 3.
static void part(int keep, int in, int out) {
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
    while (environ[count]) {
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
    const char *report = getenv("HALIDOM_PRELOAD_REPORT");
    const int kept = report && *report;
    if (kept) {
        snprintf(state.folder, sizeof state.folder, "%s", report);
        if (mkdir(state.folder, 0700) != 0) {
            // Reports of several programs, or of several runs.
            snprintf(state.folder, sizeof state.folder, "%s/%d", report, (int)state.owner);
            mkdir(state.folder, 0700);
        }
        // The program may change its folder.
        char *whole = realpath(state.folder, NULL);
        if (!whole || strlen(whole) >= sizeof state.folder) {
            say("halidom: HALIDOM_PRELOAD_REPORT is no folder that can be made\n");
            free(whole);
            return;
        }
        strcpy(state.folder, whole);
        free(whole);
    } else {
        const char *temporary = getenv("TMPDIR");
        snprintf(state.folder, sizeof state.folder, "%s/halidom-preload-XXXXXX", temporary && *temporary ? temporary : "/tmp");
        if (!mkdtemp(state.folder)) {
            say("halidom: there is no folder for temporary files\n");
            return;
        }
    }
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
    char **variables = environment();
    const char *named = getenv("HALIDOM_EXECUTABLE");
    const char *judge = named && *named ? named : JUDGE;
    char *const words[] = {(char *)judge, "preload", "--judge", state.folder, kept ? "--keep" : NULL, NULL};
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
    free(variables);
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
static void written(void *pipeline, void *module, pid_t of, long at) {
    char base[4200], words[1024] = "", line[2048];
    part(state.jobs, -1, -1);
    const struct rlimit seconds = {WRITER_SECONDS, WRITER_SECONDS}, memory = {WRITER_MEMORY, WRITER_MEMORY};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_DATA, &memory);
    // A lock that another thread held when the copy was made is never released.
    alarm(2 * WRITER_SECONDS);
    if (of == state.owner) {
        snprintf(base, sizeof base, "%s/%ld", state.folder, at);
    } else {
        snprintf(base, sizeof base, "%s/%d-%ld", state.folder, (int)of, at);
    }
    const char *name = strrchr(base, '/') + 1;
    snprintf(line, sizeof line, "begun %s\n", name);
    tell(3, line);

    Dl_info where;
    struct stat about;
    const char *mark = "done";
    if (!dladdr((void *)state.original, &where) || stat(where.dli_fname, &about) != 0 || about.st_size != LIBRARY_SIZE) {
        snprintf(words, sizeof words, "the program loads another libHalide.so than the one that `halidom preload` was compiled for");
        mark = "failed";
    } else {
        void *writer = dlopen(WRITER, RTLD_NOW | RTLD_LOCAL);
        int (*job)(void *, const void *, const char *, char *, size_t) = NULL;
        if (writer) {
            *(void **)&job = dlsym(writer, "halidom_write");
        }
        if (!job) {
            const char *error = dlerror();
            snprintf(words, sizeof words, "the library that writes pipelines cannot be loaded: %s", error ? error : "");
            mark = "failed";
        } else if (job(pipeline, module, base, words, sizeof words) != 0) {
            mark = "failed";
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

static void seen(void *pipeline, void *module) {
    const int error = errno;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&lock);
    static pid_t last;
    const pid_t own = getpid();
    if (last != own) {
        // The copies belong to the process that this one was forked from.
        last = own;
        memset(state.writers, 0, sizeof state.writers);
    }
    const long at = ++state.compiles;
    if (!state.begun) {
        begin();
    }
    if (state.usable && is_ours(state.jobs, &state.pipes[0]) && at <= number("HALIDOM_PRELOAD_MOST", 200)) {
        reap(0);
        int free_one = -1;
        for (int i = 0; i < WRITERS && free_one < 0; i++) {
            free_one = state.writers[i] == 0 ? i : -1;
        }
        if (free_one < 0) {
            reap(1);
            free_one = 0;
        }
        const pid_t writer = copy();
        if (writer == 0) {
            written(pipeline, module, own, at);
        }
        state.writers[free_one] = writer > 0 ? writer : 0;
    }
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
}

__attribute__((visibility("default"))) void *halidom_compile_to_module(void *module, void *pipeline, const void *args, const void *name, const void *target, int linkage) __asm__(SYMBOL);

void *halidom_compile_to_module(void *module, void *pipeline, const void *args, const void *name, const void *target, int linkage) {
    if (!state.original) {
        const Compile found = find();
        if (!found) {
            say("halidom: Halide's own `Pipeline::compile_to_module` is not found\n");
            abort();
        }
        state.original = found;
    }
    void *made = state.original(module, pipeline, args, name, target, linkage);
    seen(pipeline, made);
    return made;
}

// Whether a loaded library refers to `compile_to_module` by name, and so to this library's one.
static int refers(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    const char *name = strrchr(info->dlpi_name, '/');
    if (!name || strncmp(name, "/libHalide.so", 13) != 0) {
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
    *(int *)out = 0;
    for (int table = 0; table < 2 && symbols && strings; table++) {
        for (size_t i = 0; tables[table] && i < sizes[table] / sizeof(ElfW(Rela)); i++) {
            const size_t symbol = ELF64_R_SYM(tables[table][i].r_info);
            if (symbol && strcmp(strings + symbols[symbol].st_name, SYMBOL) == 0) {
                *(int *)out = 1;
            }
        }
    }
    return 1;
}

// Whether the program itself contains Halide. The program is the first entry.
static int contains(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) && !(segment->p_flags & PF_W) &&
            memmem((const void *)(info->dlpi_addr + segment->p_vaddr), segment->p_filesz, SENTENCE, sizeof SENTENCE - 1)) {
            *(int *)out = 1;
        }
    }
    return 1;
}

// Says why nothing was seen, where there is a reason.
static void excuse(void) {
    const char *path = NULL;
    int answer = 0;
    if (dl_iterate_phdr(is_halide, &path)) {
        answer = 1;
        dl_iterate_phdr(refers, &answer);
        if (!answer) {
            say("halidom: this libHalide.so calls its own functions directly (-Bsymbolic-functions), so its compiles are not seen\n");
        }
    } else {
        dl_iterate_phdr(contains, &answer);
        if (answer) {
            say("halidom: this program contains Halide itself (it is linked with a static libHalide), so its compiles are not seen: link it with libHalide.so\n");
        }
    }
}

// Waits for the verdicts when the program ends by `exit`, or by returning from `main`. When it ends
// in another way, the judge notices and prints the summary later.
static void end(int status, void *nothing) {
    (void)nothing;
    if (state.compiles == 0) {
        excuse();
        return;
    }
    if (state.owner != getpid()) {
        return;
    }
    if (!state.usable) {
        say("halidom: the judge cannot be started\n");
        return;
    }
    if (!is_ours(state.jobs, &state.pipes[0]) || !is_ours(state.done, &state.pipes[1])) {
        // The program has closed its files, and the judge has noticed the end of what it hears.
        return;
    }
    reap(1);
    char line[64];
    snprintf(line, sizeof line, "end %ld\n", state.compiles);
    tell(state.jobs, line);
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
    int worst = 0;
    if (sscanf(answer, "done %d", &worst) != 1) {
        say("halidom: the judge cannot be started, or has failed\n");
        worst = 3;
    }
    if (number("HALIDOM_PRELOAD_STRICT", 0) && status == 0 && worst != 0) {
        fflush(NULL);
        _exit(worst);
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
    on_exit(end, NULL);
    pthread_atfork(locked, unlocked, unlocked);
}
