/* Counts the file-system calls of a process below one folder, and ends the process at one of them, or makes it fail.
 *
 * Preloaded (LD_PRELOAD), so that it stands between the C library and whatever calls it: Python, numpy, HDF5, Arrow. It sees no
 * call that the C library makes by itself, such as the writes of fwrite and the reading of folders.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char under[PATH_MAX];      /* only calls on files below this folder count */
static long first = -1, last = -1; /* the calls that are hit, from 1 */
static int error_number;           /* 0: the process is killed */
static int only_changes;           /* whether calls that only read do not count */
static atomic_long count;

void faults_arm(const char *folder, long from, long to, int number, int changes)
{
    snprintf(under, sizeof under, "%s", folder);
    first = from, last = to, error_number = number, only_changes = changes;
    atomic_store(&count, 0);
}

long faults_count(void) { return atomic_load(&count); }

static int below(const char *path)
{
    size_t length = strlen(under);
    return length && !strncmp(path, under, length) && (path[length] == '/' || path[length] == 0);
}

static int of_descriptor(int descriptor, char *path)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
    return length >= 0;
}

static int concerns(int folder, const char *name)
{
    char path[2 * PATH_MAX];
    if (!under[0]) return 0;
    if (!name) return of_descriptor(folder, path) && below(path);
    if (name[0] == '/') return below(name);
    if (folder == AT_FDCWD ? !getcwd(path, PATH_MAX) : !of_descriptor(folder, path)) return 0;
    strcat(path, "/");
    strncat(path, name, PATH_MAX - 1);
    return below(path);
}

/* Whether this call is one of those that are hit; name is NULL where the descriptor itself is meant. */
static int hit(int changes, int folder, const char *name)
{
    int before = errno, found = 0;
    if ((changes || !only_changes) && concerns(folder, name)) {
        long now = atomic_fetch_add(&count, 1) + 1;
        found = now >= first && now <= last;
    }
    errno = before;
    return found;
}

static int ended(void)
{
    if (!error_number) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = error_number;
    return -1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALL(changes, folder, path, name, ...) \
    return hit(changes, folder, path) ? ended() : REAL(name)(__VA_ARGS__)

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list rest; va_start(rest, flags); mode = va_arg(rest, mode_t); va_end(rest); }
#define CHANGES(flags) (((flags) & (O_CREAT | O_TRUNC)) != 0)

int open(const char *p, int flags, ...) { MODE(flags) CALL(CHANGES(flags), AT_FDCWD, p, open, p, flags, mode); }
int open64(const char *p, int flags, ...) { MODE(flags) CALL(CHANGES(flags), AT_FDCWD, p, open64, p, flags, mode); }
int openat(int d, const char *p, int flags, ...) { MODE(flags) CALL(CHANGES(flags), d, p, openat, d, p, flags, mode); }
int openat64(int d, const char *p, int flags, ...) { MODE(flags) CALL(CHANGES(flags), d, p, openat64, d, p, flags, mode); }

int rename(const char *a, const char *b) { CALL(1, AT_FDCWD, b, rename, a, b); }
int renameat(int da, const char *a, int db, const char *b) { CALL(1, db, b, renameat, da, a, db, b); }
int link(const char *a, const char *b) { CALL(1, AT_FDCWD, b, link, a, b); }
int linkat(int da, const char *a, int db, const char *b, int flags) { CALL(1, db, b, linkat, da, a, db, b, flags); }
int unlink(const char *p) { CALL(1, AT_FDCWD, p, unlink, p); }
int unlinkat(int d, const char *p, int flags) { CALL(1, d, p, unlinkat, d, p, flags); }
int mkdir(const char *p, mode_t mode) { CALL(1, AT_FDCWD, p, mkdir, p, mode); }
int mkdirat(int d, const char *p, mode_t mode) { CALL(1, d, p, mkdirat, d, p, mode); }
int rmdir(const char *p) { CALL(1, AT_FDCWD, p, rmdir, p); }
int chmod(const char *p, mode_t mode) { CALL(1, AT_FDCWD, p, chmod, p, mode); }
int fchmod(int d, mode_t mode) { CALL(1, d, NULL, fchmod, d, mode); }
int fchmodat(int d, const char *p, mode_t mode, int flags) { CALL(1, d, p, fchmodat, d, p, mode, flags); }
int utimensat(int d, const char *p, const struct timespec t[2], int flags) { CALL(1, d, p, utimensat, d, p, t, flags); }
int fsync(int d) { CALL(1, d, NULL, fsync, d); }
int fdatasync(int d) { CALL(1, d, NULL, fdatasync, d); }
int ftruncate(int d, off_t size) { CALL(1, d, NULL, ftruncate, d, size); }
int ftruncate64(int d, off64_t size) { CALL(1, d, NULL, ftruncate64, d, size); }
int flock(int d, int operation) { CALL(1, d, NULL, flock, d, operation); }

int stat(const char *p, struct stat *s) { CALL(0, AT_FDCWD, p, stat, p, s); }
int stat64(const char *p, struct stat64 *s) { CALL(0, AT_FDCWD, p, stat64, p, s); }
int lstat(const char *p, struct stat *s) { CALL(0, AT_FDCWD, p, lstat, p, s); }
int lstat64(const char *p, struct stat64 *s) { CALL(0, AT_FDCWD, p, lstat64, p, s); }
int fstat(int d, struct stat *s) { CALL(0, d, NULL, fstat, d, s); }
int fstat64(int d, struct stat64 *s) { CALL(0, d, NULL, fstat64, d, s); }
int fstatat(int d, const char *p, struct stat *s, int flags) { CALL(0, d, p, fstatat, d, p, s, flags); }
int fstatat64(int d, const char *p, struct stat64 *s, int flags) { CALL(0, d, p, fstatat64, d, p, s, flags); }
int access(const char *p, int mode) { CALL(0, AT_FDCWD, p, access, p, mode); }
ssize_t read(int d, void *b, size_t n) { CALL(0, d, NULL, read, d, b, n); }
ssize_t pread(int d, void *b, size_t n, off_t at) { CALL(0, d, NULL, pread, d, b, n, at); }
ssize_t pread64(int d, void *b, size_t n, off64_t at) { CALL(0, d, NULL, pread64, d, b, n, at); }

/* A process that is killed in a write may have written a part of it. */
ssize_t write(int d, const void *b, size_t n)
{
    if (!hit(1, d, NULL)) return REAL(write)(d, b, n);
    if (!error_number) REAL(write)(d, b, n / 2);
    return ended();
}
ssize_t pwrite(int d, const void *b, size_t n, off_t at)
{
    if (!hit(1, d, NULL)) return REAL(pwrite)(d, b, n, at);
    if (!error_number) REAL(pwrite)(d, b, n / 2, at);
    return ended();
}
ssize_t pwrite64(int d, const void *b, size_t n, off64_t at)
{
    if (!hit(1, d, NULL)) return REAL(pwrite64)(d, b, n, at);
    if (!error_number) REAL(pwrite64)(d, b, n / 2, at);
    return ended();
}
ssize_t writev(int d, const struct iovec *b, int n) { CALL(1, d, NULL, writev, d, b, n); }

/* Linux closes the descriptor also where close says that it failed. */
int close(int d)
{
    int found = error_number && hit(1, d, NULL), done = REAL(close)(d);
    return found ? ended() : done;
}
