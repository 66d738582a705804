/*
 * Preloaded into a node by the fault tests: the n-th call of some kind on files under a directory fails, or writes less
 * than it was given, once or from then on. Everything else goes to the kernel as it is.
 *
 *   FAULT_UNDER   the directory
 *   FAULT_CALLS   which calls count, with a comma behind each: "write,fsync,"
 *   FAULT_AT      the n-th of them
 *   FAULT_ERRNO   what it fails with
 *   FAULT_THEN    which calls fail from then on; unset: none
 *   FAULT_SHORT   1: a write is cut short instead, and only what follows fails
 *   FAULT_ARMED   counting begins when this file is there; unset: at once
 *   FAULT_REPORT  a line is added to this file at the fault
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *under, *calls, *then, *armed_path, *report_path;
static long nth = 0;
static int error_number, is_short;
static atomic_long count;
static atomic_int is_armed, has_failed;

__attribute__((constructor)) static void begin(void) {
  under = getenv("FAULT_UNDER");
  calls = getenv("FAULT_CALLS");
  armed_path = getenv("FAULT_ARMED");
  report_path = getenv("FAULT_REPORT");
  if (under == NULL || calls == NULL || getenv("FAULT_AT") == NULL || getenv("FAULT_ERRNO") == NULL) {
    under = NULL;
    return;
  }
  nth = atol(getenv("FAULT_AT"));
  error_number = atoi(getenv("FAULT_ERRNO"));
  then = getenv("FAULT_THEN");
  is_short = getenv("FAULT_SHORT") != NULL;
  atomic_store(&is_armed, armed_path == NULL);
}

static int is_under(const char *path) {
  size_t length = strlen(under);
  return strncmp(path, under, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static int armed(void) {
  if (atomic_load(&is_armed)) return 1;
  if (syscall(SYS_faccessat, AT_FDCWD, armed_path, F_OK) != 0) return 0;
  atomic_store(&is_armed, 1);
  return 1;
}

static int names(const char *list, const char *kind) {
  const char *at = list == NULL ? "" : list;
  size_t length = strlen(kind);
  while (*at != '\0') {
    const char *end = strchr(at, ',');
    if (end == NULL) return 0;
    if ((size_t)(end - at) == length && strncmp(at, kind, length) == 0) return 1;
    at = end + 1;
  }
  return 0;
}

static void report(const char *kind, const char *path) {
  char line[4400];
  int size = snprintf(line, sizeof line, "%s %s\n", kind, path);
  if (report_path == NULL || size <= 0 || size >= (int)sizeof line) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, report_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  syscall(SYS_write, file, line, (size_t)size);
  syscall(SYS_close, file);
}

enum outcome { WORKS, FAILS, CUT };

static enum outcome outcome_of(const char *kind, const char *path) {
  int saved = errno;
  enum outcome outcome = WORKS;
  if (under != NULL && is_under(path) && armed()) {
    if (atomic_load(&has_failed)) outcome = names(then, kind) ? FAILS : WORKS;
    else if (names(calls, kind) && atomic_fetch_add(&count, 1) + 1 == nth) {
      atomic_store(&has_failed, 1);
      outcome = is_short && strcmp(kind, "write") == 0 ? CUT : FAILS;
      report(kind, path);
    }
  }
  errno = outcome == FAILS ? error_number : saved;
  return outcome;
}

static enum outcome outcome_at(const char *kind, int file) {
  char link[64], path[4097];
  if (under == NULL || file < 0) return WORKS;
  int saved = errno;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  long size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  errno = saved;
  if (size <= 0) return WORKS;
  path[size] = '\0';
  return outcome_of(kind, path);
}

/* Half of it, and never nothing. */
static size_t cut(size_t size) { return size < 2 ? size : size / 2; }

ssize_t write(int file, const void *bytes, size_t size) {
  enum outcome outcome = outcome_at("write", file);
  return outcome == FAILS ? -1 : syscall(SYS_write, file, bytes, outcome == CUT ? cut(size) : size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
  enum outcome outcome = outcome_at("write", file);
  return outcome == FAILS ? -1 : syscall(SYS_pwrite64, file, bytes, outcome == CUT ? cut(size) : size, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) { return pwrite64(file, bytes, size, offset); }

ssize_t writev(int file, const struct iovec *pieces, int many) {
  enum outcome outcome = outcome_at("write", file);
  if (outcome == FAILS) return -1;
  if (outcome == CUT && many > 0) return syscall(SYS_write, file, pieces[0].iov_base, cut(pieces[0].iov_len));
  return syscall(SYS_writev, file, pieces, many);
}

ssize_t pwritev64(int file, const struct iovec *pieces, int many, off64_t offset) {
  enum outcome outcome = outcome_at("write", file);
  if (outcome == FAILS) return -1;
  if (outcome == CUT && many > 0) return syscall(SYS_pwrite64, file, pieces[0].iov_base, cut(pieces[0].iov_len), offset);
  return syscall(SYS_pwritev, file, pieces, many, offset, 0L);
}

ssize_t pwritev(int file, const struct iovec *pieces, int many, off_t offset) { return pwritev64(file, pieces, many, offset); }

int fsync(int file) { return outcome_at("fsync", file) == FAILS ? -1 : (int)syscall(SYS_fsync, file); }

int fdatasync(int file) { return outcome_at("fsync", file) == FAILS ? -1 : (int)syscall(SYS_fdatasync, file); }

int msync(void *address, size_t length, int flags) {
  /* The file behind it is not known here; LMDB is the only one who asks. */
  if (under != NULL && outcome_of("fsync", under) == FAILS) return -1;
  return (int)syscall(SYS_msync, address, length, flags);
}

int ftruncate64(int file, off64_t size) {
  return outcome_at("ftruncate", file) == FAILS ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int rename(const char *from, const char *to) {
  return outcome_of("rename", from) == FAILS ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
  return outcome_of("unlink", path) == FAILS ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rmdir(const char *path) {
  return outcome_of("unlink", path) == FAILS ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int unlinkat(int directory, const char *path, int flags) {
  if ((path[0] == '/' ? outcome_of("unlink", path) : outcome_at("unlink", directory)) == FAILS) return -1;
  return (int)syscall(SYS_unlinkat, directory, path, flags);
}

int mkdir(const char *path, mode_t mode) {
  return outcome_of("open", path) == FAILS ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
  if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) != 0 && outcome_of("open", path) == FAILS) return -1;
  return (int)syscall(SYS_openat, directory, path, flags, mode);
}

#define MODE_OF(flags, mode) \
  mode_t mode = 0; \
  if (((flags) & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int directory, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(directory, path, flags, mode);
}

int openat64(int directory, const char *path, int flags, ...) {
  MODE_OF(flags, mode)
  return open_at(directory, path, flags, mode);
}
