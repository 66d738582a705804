/*
 * Loaded into a process (LD_PRELOAD), writes down in order what it does to the files below POWER_CUT_ROOT: with their
 * bytes to POWER_CUT_LOG, as records that `recording.ts` reads. Nothing is changed and nothing fails.
 *
 * The lock makes the order of the records that of the operations. It is taken only for files below the root, so a child
 * between fork and exec never waits for it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum Kind { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, MAKE_DIRECTORY, REMOVE_DIRECTORY, UNKNOWN };
enum Flag { CREATED = 1, EMPTIED = 2, DURABLE = 4 };

struct head {
  uint32_t kind, flags;
  uint64_t inode, offset;
  uint32_t path_size, other_path_size, data_size, spare;
};

#define MOST_FILES 65536
/* By descriptor: 0 is not ours. */
static uint64_t inodes[MOST_FILES];
static int open_flags[MOST_FILES];
/* Of a file that is written through stdio: how much of it is in the log. */
static off_t in_log[MOST_FILES];
static char is_stream[MOST_FILES];
static char root[PATH_MAX];
static size_t root_size;
/* All files below the root are on one. */
static dev_t device;
static int log_file = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *where = getenv("POWER_CUT_ROOT"), *log = getenv("POWER_CUT_LOG");
  if (where == NULL || log == NULL || realpath(where, root) == NULL) return;
  struct stat facts;
  if (stat(root, &facts) != 0) return;
  device = facts.st_dev;
  root_size = strlen(root);
  log_file = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void put(uint32_t kind, uint32_t flags, uint64_t inode, uint64_t offset, const char *path, const char *other,
                const struct iovec *data, int pieces, size_t size) {
  struct head head = {kind, flags, inode, offset, path ? strlen(path) : 0, other ? strlen(other) : 0, size, 0};
  struct iovec parts[3 + 1024] = {{&head, sizeof head}, {(void *)path, head.path_size}, {(void *)other, head.other_path_size}};
  size_t left = size, whole = sizeof head + head.path_size + head.other_path_size + size;
  int count = 3;
  for (int i = 0; i < pieces && left > 0; i++) {
    size_t taken = data[i].iov_len < left ? data[i].iov_len : left;
    parts[count++] = (struct iovec){data[i].iov_base, taken};
    left -= taken;
  }
  int kept = errno;
  ssize_t written = 0;
  /* writev takes 1,024 pieces at most; the order of the records is kept by the lock. */
  for (int at = 0; at < count; at += 1024) {
    ssize_t part = REAL(writev)(log_file, parts + at, count - at < 1024 ? count - at : 1024);
    if (part > 0) written += part;
  }
  if ((size_t)written != whole) {
    fprintf(stderr, "recorder: the log cannot be written\n");
    abort();
  }
  errno = kept;
}

static void put_path(uint32_t kind, const char *path, const char *other) { put(kind, 0, 0, 0, path, other, NULL, 0, 0); }

/* Absolute, and the part below the root; NULL when it is not below it. The last name of a path may not exist. */
static const char *below_root(int directory, const char *path, char *buffer) {
  char parent[PATH_MAX], joined[PATH_MAX * 2];
  if (log_file < 0 || path == NULL) return NULL;
  if (path[0] == '/') snprintf(joined, sizeof joined, "%s", path);
  else {
    if (directory == AT_FDCWD) {
      if (getcwd(parent, sizeof parent) == NULL) return NULL;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
      ssize_t size = readlink(link, parent, sizeof parent - 1);
      if (size < 0) return NULL;
      parent[size] = 0;
    }
    snprintf(joined, sizeof joined, "%s/%s", parent, path);
  }
  if (strlen(joined) >= PATH_MAX || strncmp(joined, root, root_size) != 0) return NULL;
  if (joined[root_size] != '/' && joined[root_size] != 0) return NULL;
  strcpy(buffer, joined);
  return buffer + root_size;
}

/*
 * 0 when the descriptor is not ours. libuv closes by a system call of its own that nothing here sees, so the number may
 * stand for a socket by now: the kernel is asked what it stands for.
 */
static uint64_t inode_of(int file) {
  struct stat facts;
  if (file < 0 || file >= MOST_FILES || inodes[file] == 0) return 0;
  int kept = errno;
  if (fstat(file, &facts) != 0 || facts.st_dev != device || facts.st_ino != inodes[file]) inodes[file] = 0;
  errno = kept;
  return inodes[file];
}

static int opened(const char *shown, const char *path, int directory, int flags, mode_t mode) {
  struct stat facts;
  pthread_mutex_lock(&lock);
  int existed = fstatat(directory, path, &facts, 0) == 0;
  int file = REAL(openat)(directory, path, flags, mode);
  if (file >= 0 && file < MOST_FILES && fstat(file, &facts) == 0) {
    inodes[file] = facts.st_ino;
    open_flags[file] = flags;
    is_stream[file] = 0;
    put(OPEN, (existed ? 0 : CREATED) | (existed && (flags & O_TRUNC) ? EMPTIED : 0), facts.st_ino, 0, shown, NULL, NULL, 0, 0);
  }
  pthread_mutex_unlock(&lock);
  return file;
}

#define MODE_OF(flags, mode) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

#define OPEN_AT(directory, path, flags, mode) \
  char buffer[PATH_MAX]; \
  const char *shown = below_root(directory, path, buffer); \
  return shown == NULL ? REAL(openat)(directory, path, flags, mode) : opened(shown, path, directory, flags, mode);

int open(const char *path, int flags, ...) { MODE_OF(flags, mode) OPEN_AT(AT_FDCWD, path, flags, mode) }
int open64(const char *path, int flags, ...) { MODE_OF(flags, mode) OPEN_AT(AT_FDCWD, path, flags | O_LARGEFILE, mode) }
int openat(int directory, const char *path, int flags, ...) { MODE_OF(flags, mode) OPEN_AT(directory, path, flags, mode) }
int openat64(int directory, const char *path, int flags, ...) { MODE_OF(flags, mode) OPEN_AT(directory, path, flags | O_LARGEFILE, mode) }
int creat(const char *path, mode_t mode) { OPEN_AT(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode) }
int creat64(const char *path, mode_t mode) { OPEN_AT(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode) }

int close(int file) {
  if (file >= 0 && file < MOST_FILES) inodes[file] = 0;
  return REAL(close)(file);
}

/* Runs a write and puts down what of it was done. `at` below zero: where the descriptor stands. */
static void wrote(int file, ssize_t done, off_t at, const struct iovec *data, int pieces) {
  if (done <= 0) return;
  uint32_t flags = open_flags[file] & O_DSYNC ? DURABLE : 0;
  off_t end = at < 0 ? lseek(file, 0, SEEK_CUR) : at + done;
  put(WRITE, flags, inodes[file], end - done, NULL, NULL, data, pieces, done);
}

#define WRITTEN(file, at, data, pieces, call) \
  if (inode_of(file) == 0) return call; \
  pthread_mutex_lock(&lock); \
  ssize_t done = call; \
  wrote(file, done, at, data, pieces); \
  pthread_mutex_unlock(&lock); \
  return done;

#define ONE(bytes, size) struct iovec one = {(void *)bytes, size};

ssize_t write(int file, const void *bytes, size_t size) { ONE(bytes, size) WRITTEN(file, -1, &one, 1, REAL(write)(file, bytes, size)) }
ssize_t writev(int file, const struct iovec *data, int pieces) { WRITTEN(file, -1, data, pieces, REAL(writev)(file, data, pieces)) }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { ONE(bytes, size) WRITTEN(file, at, &one, 1, REAL(pwrite)(file, bytes, size, at)) }
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) { ONE(bytes, size) WRITTEN(file, at, &one, 1, REAL(pwrite64)(file, bytes, size, at)) }
ssize_t pwritev(int file, const struct iovec *data, int pieces, off_t at) { WRITTEN(file, at, data, pieces, REAL(pwritev)(file, data, pieces, at)) }
ssize_t pwritev64(int file, const struct iovec *data, int pieces, off64_t at) { WRITTEN(file, at, data, pieces, REAL(pwritev64)(file, data, pieces, at)) }

/* stdio writes where nothing can be put in between, so what it wrote is read from the file. Needs the lock. */
static void catch_up(int file) {
  char path[64], bytes[65536];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  int reader = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  if (reader < 0) return;
  for (;;) {
    ssize_t size = pread(reader, bytes, sizeof bytes, in_log[file]);
    if (size <= 0) break;
    struct iovec one = {bytes, size};
    put(WRITE, 0, inodes[file], in_log[file], NULL, NULL, &one, 1, size);
    in_log[file] += size;
  }
  REAL(close)(reader);
}

#define ON_FILE(file, kind, offset, call) \
  if (inode_of(file) == 0) return call; \
  pthread_mutex_lock(&lock); \
  if (is_stream[file]) catch_up(file); \
  int failed = call; \
  if (failed == 0) put(kind, 0, inodes[file], offset, NULL, NULL, NULL, 0, 0); \
  pthread_mutex_unlock(&lock); \
  return failed;

int ftruncate(int file, off_t size) { ON_FILE(file, TRUNCATE, size, REAL(ftruncate)(file, size)) }
int ftruncate64(int file, off64_t size) { ON_FILE(file, TRUNCATE, size, REAL(ftruncate64)(file, size)) }
int fsync(int file) { ON_FILE(file, SYNC, 0, REAL(fsync)(file)) }
int fdatasync(int file) { ON_FILE(file, SYNC, 0, REAL(fdatasync)(file)) }

static FILE *stream_of(const char *path, const char *mode, FILE *(*real)(const char *, const char *)) {
  char buffer[PATH_MAX];
  const char *shown = mode[0] == 'r' ? NULL : below_root(AT_FDCWD, path, buffer);
  if (shown == NULL) return real(path, mode);
  int reads = strchr(mode, '+') != NULL;
  int flags = (reads ? O_RDWR : O_WRONLY) | O_CREAT | O_CLOEXEC | (mode[0] == 'w' ? O_TRUNC : O_APPEND);
  int file = opened(shown, path, AT_FDCWD, flags, 0666);
  if (file < 0) return NULL;
  in_log[file] = mode[0] == 'w' ? 0 : lseek(file, 0, SEEK_END);
  is_stream[file] = 1;
  return fdopen(file, mode);
}

FILE *fopen(const char *path, const char *mode) { return stream_of(path, mode, REAL(fopen)); }
FILE *fopen64(const char *path, const char *mode) { return stream_of(path, mode, REAL(fopen64)); }

static int flushed(FILE *stream, int (*real)(FILE *)) {
  int file = stream == NULL ? -1 : fileno_unlocked(stream);
  if (inode_of(file) == 0 || !is_stream[file]) return real(stream);
  pthread_mutex_lock(&lock);
  int failed = real(stream);
  catch_up(file);
  pthread_mutex_unlock(&lock);
  return failed;
}

int fflush(FILE *stream) { return flushed(stream, REAL(fflush)); }
int fflush_unlocked(FILE *stream) { return flushed(stream, REAL(fflush_unlocked)); }
int fclose(FILE *stream) {
  int file = fileno(stream);
  flushed(stream, REAL(fflush));
  if (file >= 0 && file < MOST_FILES) inodes[file] = 0;
  return REAL(fclose)(stream);
}

/* What the reader does not understand must not pass unseen. */
int fallocate(int file, int mode, off_t at, off_t size) { ON_FILE(file, UNKNOWN, 0, REAL(fallocate)(file, mode, at, size)) }
int fallocate64(int file, int mode, off64_t at, off64_t size) { ON_FILE(file, UNKNOWN, 0, REAL(fallocate64)(file, mode, at, size)) }
int posix_fallocate(int file, off_t at, off_t size) { ON_FILE(file, UNKNOWN, 0, REAL(posix_fallocate)(file, at, size)) }

#define ON_PATHS(kind, from_directory, from, to_directory, to, call) \
  char buffer[PATH_MAX], other_buffer[PATH_MAX]; \
  const char *shown = below_root(from_directory, from, buffer), *other = below_root(to_directory, to, other_buffer); \
  if (shown == NULL && other == NULL) return call; \
  pthread_mutex_lock(&lock); \
  int failed = call; \
  if (failed == 0) put_path(shown == NULL || (other == NULL && (to) != NULL) ? UNKNOWN : kind, shown, other); \
  pthread_mutex_unlock(&lock); \
  return failed;

int rename(const char *from, const char *to) { ON_PATHS(RENAME, AT_FDCWD, from, AT_FDCWD, to, REAL(rename)(from, to)) }
int renameat(int a, const char *from, int b, const char *to) { ON_PATHS(RENAME, a, from, b, to, REAL(renameat)(a, from, b, to)) }
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  ON_PATHS(flags == 0 ? RENAME : UNKNOWN, a, from, b, to, REAL(renameat2)(a, from, b, to, flags))
}
int link(const char *from, const char *to) { ON_PATHS(UNKNOWN, AT_FDCWD, from, AT_FDCWD, to, REAL(link)(from, to)) }
int symlink(const char *from, const char *to) { ON_PATHS(UNKNOWN, AT_FDCWD, to, AT_FDCWD, NULL, REAL(symlink)(from, to)) }

#define NOTHING ((const char *)NULL)
int unlink(const char *path) { ON_PATHS(UNLINK, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(unlink)(path)) }
int unlinkat(int directory, const char *path, int flags) {
  ON_PATHS(flags & AT_REMOVEDIR ? REMOVE_DIRECTORY : UNLINK, directory, path, AT_FDCWD, NOTHING, REAL(unlinkat)(directory, path, flags))
}
int remove(const char *path) {
  struct stat facts;
  int is_directory = lstat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
  ON_PATHS(is_directory ? REMOVE_DIRECTORY : UNLINK, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(remove)(path))
}
int mkdir(const char *path, mode_t mode) { ON_PATHS(MAKE_DIRECTORY, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(mkdir)(path, mode)) }
int mkdirat(int directory, const char *path, mode_t mode) {
  ON_PATHS(MAKE_DIRECTORY, directory, path, AT_FDCWD, NOTHING, REAL(mkdirat)(directory, path, mode))
}
int rmdir(const char *path) { ON_PATHS(REMOVE_DIRECTORY, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(rmdir)(path)) }
int truncate(const char *path, off_t size) { ON_PATHS(UNKNOWN, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(truncate)(path, size)) }
int truncate64(const char *path, off64_t size) { ON_PATHS(UNKNOWN, AT_FDCWD, path, AT_FDCWD, NOTHING, REAL(truncate64)(path, size)) }
