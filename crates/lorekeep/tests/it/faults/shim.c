/* A file system that fails, for the tests in this folder: loaded before libc (LD_PRELOAD), it counts the
 * calls that change something below one folder, makes the n-th of a class fail, and can write down all
 * of them. What it is told comes by variables:
 *
 *   FAULT_DIR      the folder; calls that concern nothing below it pass untouched
 *   FAULT_STATE    a file that all processes share: the counts, and whether the fault has come
 *   FAULT_CLASS    write, sync, truncate, rename, unlink or create
 *   FAULT_NTH      which call of the class fails, from 1; none if it is 0
 *   FAULT_HOW      eio, enospc, full (from then on nothing more fits on the disk), short (half is written, then
 *                  nothing more fits), kill (the process ends there)
 *   FAULT_JOURNAL  a file for what was done; syncs and what is said on standard output are in it, too
 *
 * A sync is counted, and not carried out: nobody cuts the power here, and tests are many.
 * Raw system calls are not seen; nobody makes any (rustix goes by libc, see Cargo.toml). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE, SYNC, TRUNCATE, RENAME, UNLINK, CREATE, CLASSES };
static const char *const CLASS_NAMES[CLASSES] = {"write", "sync", "truncate", "rename", "unlink", "create"};
enum how { EIO_ONCE, ENOSPC_ONCE, FULL, SHORT, KILL };

/* What all processes share. */
struct state {
    uint64_t counts[CLASSES];
    uint64_t fired;
};

static char folder[PATH_MAX];
static size_t folder_length;
static struct state *state;
static int failing = -1;
static uint64_t nth;
static enum how how;
static int journal = -1;
/* The pipe that answers go to, whatever its descriptor. */
static uint64_t answers;
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

#define REAL(type, name, ...)                                                                       \
    static type (*real)(__VA_ARGS__);                                                               \
    if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static ssize_t real_write(int fd, const void *bytes, size_t count) {
    REAL(ssize_t, write, int, const void *, size_t);
    return real(fd, bytes, count);
}

static int real_open(const char *path, int flags, mode_t mode) {
    REAL(int, openat, int, const char *, int, ...);
    return real(AT_FDCWD, path, flags, mode);
}

__attribute__((constructor)) static void begin(void) {
    const char *dir = getenv("FAULT_DIR"), *shared = getenv("FAULT_STATE");
    if (!dir || !shared || !realpath(dir, folder)) return;
    folder_length = strlen(folder);
    int fd = real_open(shared, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) return;
    state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (state == MAP_FAILED) state = NULL;
    const char *class = getenv("FAULT_CLASS"), *number = getenv("FAULT_NTH"), *kind = getenv("FAULT_HOW");
    for (int i = 0; class && i < CLASSES; i++)
        if (!strcmp(class, CLASS_NAMES[i])) failing = i;
    nth = number ? strtoull(number, NULL, 10) : 0;
    if (kind)
        how = !strcmp(kind, "enospc") ? ENOSPC_ONCE : !strcmp(kind, "full") ? FULL : !strcmp(kind, "short") ? SHORT : !strcmp(kind, "kill") ? KILL : EIO_ONCE;
    const char *log = getenv("FAULT_JOURNAL");
    struct stat known;
    if (!fstat(1, &known)) answers = known.st_ino;
    if (log) journal = real_open(log, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
}

/* The absolute path behind a descriptor of a folder and a path; false if that is not ours. */
static int ours_at(int at, const char *path, char *out) {
    char base[PATH_MAX] = "";
    if (!state || !path) return 0;
    if (path[0] == '/') {
        if (snprintf(out, PATH_MAX, "%s", path) >= PATH_MAX) return 0;
    } else {
        if (at == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            char link[64];
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t length = readlink(link, base, sizeof base - 1);
            if (length < 0) return 0;
            base[length] = 0;
        }
        if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
    }
    return !strncmp(out, folder, folder_length) && (out[folder_length] == '/' || !out[folder_length]);
}

static int ours_fd(int fd, char *path) {
    char link[64];
    if (!state || fd < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return !strncmp(path, folder, folder_length) && (path[folder_length] == '/' || !path[folder_length]);
}

/* Counts a call of a class. 0, or the error it shall fail with; `half` is set if half of it shall be done. */
static int fault(int class, int *half, const char *path) {
    uint64_t number = __atomic_add_fetch(&state->counts[class], 1, __ATOMIC_SEQ_CST);
    if (class == failing && number == nth) {
        __atomic_store_n(&state->fired, 1, __ATOMIC_SEQ_CST);
        char text[PATH_MAX + 64];
        int length = snprintf(text, sizeof text, "fault: %s %s\n", CLASS_NAMES[class], path + folder_length);
        if (real_write(2, text, (size_t)length) < 0) return EIO;
        if (how == KILL) raise(SIGKILL);
        if (how == SHORT && half) *half = 1;
        return how == EIO_ONCE ? EIO : ENOSPC;
    }
    int needs_room = class == WRITE || class == CREATE;
    if ((how == FULL || how == SHORT) && needs_room && __atomic_load_n(&state->fired, __ATOMIC_SEQ_CST)) return ENOSPC;
    return 0;
}

#define FAIL_IF(class, path)                                                                        \
    do {                                                                                            \
        int error = fault(class, NULL, path);                                                          \
        if (error) {                                                                                \
            errno = error;                                                                          \
            return -1;                                                                              \
        }                                                                                           \
    } while (0)

/* What was done: a letter, the file's number, an offset, two texts. */
static void note(char what, uint64_t inode, uint64_t offset, const void *a, uint32_t a_length, const void *b, uint32_t b_length) {
    struct __attribute__((packed)) {
        char what;
        uint64_t inode, offset;
        uint32_t a_length, b_length;
    } head = {what, inode, offset, a_length, b_length};
    struct iovec parts[3] = {{&head, sizeof head}, {(void *)a, a_length}, {(void *)b, b_length}};
    int saved = errno;
    REAL(ssize_t, writev, int, const struct iovec *, int);
    if (real(journal, parts, 3) != (ssize_t)(sizeof head + a_length + b_length)) abort();
    errno = saved;
}

static void note_paths(char what, uint64_t inode, uint64_t flags, const char *a, const char *b) {
    note(what, inode, flags, a, (uint32_t)strlen(a), b ? b : "", b ? (uint32_t)strlen(b) : 0);
}

static uint64_t inode_of(int fd) {
    struct stat known;
    return fstat(fd, &known) ? 0 : known.st_ino;
}

static int is_answer(int fd) {
    return journal >= 0 && fd > 0 && inode_of(fd) == answers;
}

/* A write under way: what is done and what is noted are one step. */
static void enter(void) {
    if (journal >= 0) pthread_mutex_lock(&order);
}
static void leave(void) {
    if (journal >= 0) pthread_mutex_unlock(&order);
}

static void note_written(int fd, const void *bytes, ssize_t count, off_t place) {
    if (journal < 0 || count <= 0) return;
    if (place < 0) place = (fcntl(fd, F_GETFL) & O_APPEND ? lseek(fd, 0, SEEK_END) : lseek(fd, 0, SEEK_CUR)) - count;
    note('W', inode_of(fd), (uint64_t)place, bytes, (uint32_t)count, NULL, 0);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    if (is_answer(fd)) {
        enter();
        note('A', 0, 0, bytes, (uint32_t)count, NULL, 0);
        leave();
    }
    char path[PATH_MAX];
    if (!ours_fd(fd, path)) return real_write(fd, bytes, count);
    int half = 0, error = fault(WRITE, &half, path);
    if (error && !(half && count > 1)) {
        errno = error;
        return -1;
    }
    enter();
    ssize_t done = real_write(fd, bytes, half ? count / 2 : count);
    note_written(fd, bytes, done, -1);
    leave();
    return done;
}

#define PWRITE(name, offset)                                                                        \
    ssize_t name(int fd, const void *bytes, size_t count, offset place) {                           \
        REAL(ssize_t, name, int, const void *, size_t, offset);                                     \
        char path[PATH_MAX];                                                                        \
        if (!ours_fd(fd, path)) return real(fd, bytes, count, place);                               \
        int half = 0, error = fault(WRITE, &half, path);                                            \
        if (error && !(half && count > 1)) {                                                        \
            errno = error;                                                                          \
            return -1;                                                                              \
        }                                                                                           \
        enter();                                                                                    \
        ssize_t done = real(fd, bytes, half ? count / 2 : count, place);                            \
        note_written(fd, bytes, done, place);                                                       \
        leave();                                                                                    \
        return done;                                                                                \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/* The first piece: who writes many must go on until all is written anyway. */
ssize_t writev(int fd, const struct iovec *pieces, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    char path[PATH_MAX];
    if (!ours_fd(fd, path) && !is_answer(fd)) return real(fd, pieces, count);
    for (int i = 0; i < count; i++)
        if (pieces[i].iov_len > 0) return write(fd, pieces[i].iov_base, pieces[i].iov_len);
    return 0;
}

/* Whoever copies within the kernel does without if that cannot be had. */
ssize_t copy_file_range(int from, off64_t *from_place, int to, off64_t *to_place, size_t count, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
    char path[PATH_MAX];
    if (!ours_fd(to, path)) return real(from, from_place, to, to_place, count, flags);
    errno = ENOSYS;
    return -1;
}

#define SENDFILE(name, offset)                                                                      \
    ssize_t name(int to, int from, offset *place, size_t count) {                                   \
        REAL(ssize_t, name, int, int, offset *, size_t);                                            \
        char path[PATH_MAX];                                                                        \
        if (!ours_fd(to, path)) return real(to, from, place, count);                                \
        errno = ENOSYS;                                                                             \
        return -1;                                                                                  \
    }
SENDFILE(sendfile, off_t)
SENDFILE(sendfile64, off64_t)

#define FALLOCATE(name, offset)                                                                     \
    int name(int fd, offset place, offset length) {                                                 \
        REAL(int, name, int, offset, offset);                                                       \
        char path[PATH_MAX];                                                                        \
        return ours_fd(fd, path) ? EOPNOTSUPP : real(fd, place, length);                            \
    }
FALLOCATE(posix_fallocate, off_t)
FALLOCATE(posix_fallocate64, off64_t)

#define SYNCING(name, letter)                                                                       \
    int name(int fd) {                                                                              \
        REAL(int, name, int);                                                                       \
        char path[PATH_MAX];                                                                        \
        if (!ours_fd(fd, path)) return real(fd);                                                    \
        FAIL_IF(SYNC, path);                                                                        \
        enter();                                                                                    \
        if (journal >= 0) note(letter, inode_of(fd), 0, NULL, 0, NULL, 0);                          \
        leave();                                                                                    \
        return 0;                                                                                   \
    }
SYNCING(fsync, 'S')
SYNCING(fdatasync, 'S')
SYNCING(syncfs, 'F')

#define FTRUNCATE(name, offset)                                                                     \
    int name(int fd, offset length) {                                                               \
        REAL(int, name, int, offset);                                                               \
        char path[PATH_MAX];                                                                        \
        if (!ours_fd(fd, path)) return real(fd, length);                                            \
        FAIL_IF(TRUNCATE, path);                                                                    \
        enter();                                                                                    \
        int done = real(fd, length);                                                                \
        if (!done && journal >= 0) note('T', inode_of(fd), (uint64_t)length, NULL, 0, NULL, 0);     \
        leave();                                                                                    \
        return done;                                                                                \
    }
FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

int renameat2(int from_at, const char *from, int to_at, const char *to, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    char a[PATH_MAX], b[PATH_MAX];
    if (!ours_at(from_at, from, a) || !ours_at(to_at, to, b)) return real(from_at, from, to_at, to, flags);
    FAIL_IF(RENAME, b);
    enter();
    int done = real(from_at, from, to_at, to, flags);
    if (!done && journal >= 0) note_paths('R', 0, flags, a, b);
    leave();
    return done;
}

int renameat(int from_at, const char *from, int to_at, const char *to) {
    return renameat2(from_at, from, to_at, to, 0);
}

int rename(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    char a[PATH_MAX], b[PATH_MAX];
    if (!ours_at(from_at, from, a) || !ours_at(to_at, to, b)) return real(from_at, from, to_at, to, flags);
    FAIL_IF(RENAME, b);
    enter();
    int done = real(from_at, from, to_at, to, flags);
    if (!done && journal >= 0) note_paths('L', 0, 0, a, b);
    leave();
    return done;
}

int link(const char *from, const char *to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlinkat(int at, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    char a[PATH_MAX];
    if (!ours_at(at, path, a)) return real(at, path, flags);
    FAIL_IF(UNLINK, a);
    enter();
    int done = real(at, path, flags);
    if (!done && journal >= 0) note_paths('U', 0, 0, a, NULL);
    leave();
    return done;
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdirat(int at, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    char a[PATH_MAX];
    if (!ours_at(at, path, a)) return real(at, path, mode);
    FAIL_IF(CREATE, a);
    enter();
    int done = real(at, path, mode);
    struct stat made;
    if (!done && journal >= 0 && !stat(a, &made)) note_paths('M', made.st_ino, 0, a, NULL);
    leave();
    return done;
}

int mkdir(const char *path, mode_t mode) {
    return mkdirat(AT_FDCWD, path, mode);
}

static int open_any(int at, const char *path, int flags, mode_t mode) {
    REAL(int, openat, int, const char *, int, ...);
    char a[PATH_MAX];
    if (!(flags & (O_CREAT | O_TRUNC)) || !ours_at(at, path, a)) return real(at, path, flags, mode);
    struct stat known;
    int is_new = lstat(a, &known) != 0;
    if (is_new && (flags & O_CREAT)) FAIL_IF(CREATE, a);
    if (!is_new && (flags & O_TRUNC)) FAIL_IF(TRUNCATE, a);
    enter();
    int fd = real(at, path, flags, mode);
    if (fd >= 0 && journal >= 0) {
        if (is_new) note_paths('C', inode_of(fd), 0, a, NULL);
        else if (flags & O_TRUNC) note('T', inode_of(fd), 0, NULL, 0, NULL, 0);
    }
    leave();
    return fd;
}

#define MODE(flags)                                                                                 \
    mode_t mode = 0;                                                                                \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                        \
        va_list rest;                                                                               \
        va_start(rest, flags);                                                                      \
        mode = va_arg(rest, mode_t);                                                                \
        va_end(rest);                                                                               \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    MODE(flags)
    return open_any(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_any(at, path, flags, mode);
}
int openat64(int at, const char *path, int flags, ...) {
    MODE(flags)
    return open_any(at, path, flags, mode);
}
