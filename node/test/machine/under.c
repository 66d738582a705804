/*
 * Runs a program on a machine that lacks something.
 *
 *   under [CONDITION…] -- PROGRAM [ARGUMENT…]
 *
 * Exit code 77: this machine does not offer what a condition needs; standard error says what.
 *
 *   no-new-code            memory that is written is never run (systemd's MemoryDenyWriteExecute)
 *   address-space=BYTES    as `ulimit -v`
 *   file-size=BYTES        as `ulimit -f`
 *   open-files=COUNT       as `ulimit -n`
 *   processes=COUNT        as `ulimit -u`; the limit does not bind root
 *   memory=BYTES           a control group that lets it have so much memory; it goes with the process
 *   old-profile            a filter that refuses with EPERM the system calls that it does not know, from statx on
 *   old-profile-of-threads the same, and clone3 is among those that are refused
 *   no-shared-maps         files cannot be mapped shared (ENODEV)
 *   no-writable-maps       files cannot be mapped shared for writing (ENODEV)
 *   no-ipv6                the system has no IPv6 (EAFNOSUPPORT)
 *   no-ipv6-address        the system has IPv6 and no address of it
 *   empty=DIRECTORY        an empty read-only file system is mounted there
 *   small=DIRECTORY        a file system of one page is mounted there, and is full
 *   readonly=DIRECTORY     what is there cannot be changed
 *   writable=DIRECTORY     what is there can, though it lies in one that cannot; before `readonly=`
 *   stdout=KIND, stderr=KIND, stdin=KIND
 *                          closed, full (/dev/full), unopened (open for reading only), broken (a pipe that nobody
 *                          reads), reset (a socket whose other end has reset it), hung-up (a terminal
 *                          that is gone), null
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif

static void lacking(const char *what) {
  fprintf(stderr, "under: this machine does not offer what is needed: %s: %s\n", what, strerror(errno));
  exit(77);
}

static void limit(int resource, const char *text, const char *what) {
  struct rlimit both;
  both.rlim_cur = both.rlim_max = strtoull(text, NULL, 10);
  if (setrlimit(resource, &both) != 0) lacking(what);
}

/* Filters */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define HAS(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)
#define FROM(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, value, yes, no)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define REFUSE(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

static void install(struct sock_filter *filter, size_t size) {
  struct sock_fprog program = { .len = (unsigned short)(size / sizeof *filter), .filter = filter };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    lacking("seccomp");
  }
}

static void old_profile(void) {
  struct sock_filter filter[] = {
    LOAD(nr), IS(SYS_clone3, 0, 1), REFUSE(ENOSYS), FROM(SYS_statx, 0, 1), REFUSE(EPERM), ALLOW
  };
  install(filter, sizeof filter);
}

static void old_profile_of_threads(void) {
  struct sock_filter filter[] = { LOAD(nr), FROM(SYS_statx, 0, 1), REFUSE(EPERM), ALLOW };
  install(filter, sizeof filter);
}

static void no_shared_maps(void) {
  struct sock_filter filter[] = {
    LOAD(nr), IS(SYS_mmap, 0, 4), LOAD(args[3]), HAS(MAP_ANONYMOUS, 2, 0), HAS(MAP_SHARED, 0, 1), REFUSE(ENODEV), ALLOW
  };
  install(filter, sizeof filter);
}

static void no_writable_maps(void) {
  struct sock_filter filter[] = {
    LOAD(nr), IS(SYS_mmap, 0, 6), LOAD(args[3]), HAS(MAP_ANONYMOUS, 4, 0), HAS(MAP_SHARED, 0, 3),
    LOAD(args[2]), HAS(PROT_WRITE, 0, 1), REFUSE(ENODEV), ALLOW
  };
  install(filter, sizeof filter);
}

static void no_ipv6(void) {
  struct sock_filter filter[] = {
    LOAD(nr), IS(SYS_socket, 0, 3), LOAD(args[0]), IS(AF_INET6, 0, 1), REFUSE(EAFNOSUPPORT), ALLOW
  };
  install(filter, sizeof filter);
}

/* Namespaces */

static void write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, text, strlen(text)) < 0) lacking(path);
  close(file);
}

/** Removes a control group when the process with this number has ended. Holds no stream of it open. */
static void remove_behind(const char *group, pid_t process) {
  if (fork() != 0) return;
  for (int file = 0; file < 3; file++) close(file);
  setsid();
  while (kill(process, 0) == 0) usleep(20000);
  for (int turn = 0; turn < 250 && rmdir(group) != 0 && errno == EBUSY; turn++) usleep(20000);
  _exit(0);
}

static void little_memory(const char *bytes) {
  int is_first = access("/sys/fs/cgroup/memory/memory.limit_in_bytes", F_OK) == 0;
  const char *root = is_first ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
  char group[96], file[160], own[24];
  snprintf(group, sizeof group, "%s/lockstep-%d", root, (int)getpid());
  if (mkdir(group, 0755) != 0) lacking("a control group");
  remove_behind(group, getpid());
  snprintf(file, sizeof file, "%s/%s", group, is_first ? "memory.limit_in_bytes" : "memory.max");
  write_file(file, bytes);
  snprintf(file, sizeof file, "%s/cgroup.procs", group);
  snprintf(own, sizeof own, "%d", (int)getpid());
  write_file(file, own);
}

static void enter(int kinds) {
  static int entered = 0;
  kinds &= ~entered;
  if (kinds == 0) return;
  char map[64];
  int is_root = geteuid() == 0;
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(kinds | (is_root || entered ? 0 : CLONE_NEWUSER)) != 0) lacking("namespaces");
  if (!is_root && entered == 0) {
    snprintf(map, sizeof map, "%u %u 1", user, user);
    write_file("/proc/self/uid_map", map);
    write_file("/proc/self/setgroups", "deny");
    snprintf(map, sizeof map, "%u %u 1", group, group);
    write_file("/proc/self/gid_map", map);
  }
  if ((kinds & CLONE_NEWNS) != 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) lacking("a private root");
  entered |= kinds;
}

static void no_ipv6_address(void) {
  enter(CLONE_NEWNET);
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq up = { .ifr_name = "lo" };
  up.ifr_flags = IFF_UP | IFF_RUNNING;
  write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
  write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &up) != 0) lacking("a network of its own");
  write_file("/proc/sys/net/ipv6/conf/lo/disable_ipv6", "1");
  close(any);
}

static void mount_empty(const char *directory, const char *options, unsigned long flags) {
  enter(CLONE_NEWNS);
  if (mount("tmpfs", directory, "tmpfs", flags, options) != 0) lacking(directory);
}

static void mount_small(const char *directory) {
  char path[PATH_MAX], page[4096] = { 0 };
  mount_empty(directory, "size=4k,mode=1777", 0);
  snprintf(path, sizeof path, "%s/full", directory);
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  while (file >= 0 && write(file, page, sizeof page) > 0) {}
  close(file);
}

static void bind_over(const char *directory, unsigned long flags) {
  enter(CLONE_NEWNS);
  if (mount(directory, directory, NULL, MS_BIND | MS_REC, NULL) != 0) lacking(directory);
  if (flags != 0 && mount(NULL, directory, NULL, MS_BIND | MS_REMOUNT | flags, NULL) != 0) lacking(directory);
}

static void make_readonly(const char *directory) {
  /* A bind of the root would not be seen from it. */
  if (strcmp(directory, "/") != 0) return bind_over(directory, MS_RDONLY);
  enter(CLONE_NEWNS);
  if (mount(NULL, "/", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL) != 0) lacking("a root that is read only");
}

/* Standard streams */

static int broken_pipe(int place) {
  int ends[2];
  if (pipe(ends) != 0) lacking("a pipe");
  int kept = ends[place == 0 ? 0 : 1];
  close(ends[place == 0 ? 1 : 0]);
  return kept;
}

static int reset_socket(void) {
  struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
  socklen_t size = sizeof place;
  int listener = socket(AF_INET, SOCK_STREAM, 0), own = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr *)&place, sizeof place) != 0 || listen(listener, 1) != 0
      || getsockname(listener, (struct sockaddr *)&place, &size) != 0
      || connect(own, (struct sockaddr *)&place, sizeof place) != 0) lacking("a socket");
  int other = accept(listener, NULL, NULL);
  struct linger none = { .l_onoff = 1 };
  if (other < 0 || setsockopt(other, SOL_SOCKET, SO_LINGER, &none, sizeof none) != 0) lacking("a socket");
  close(other);
  close(listener);
  return own;
}

static int hung_up_terminal(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) lacking("a terminal");
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0) lacking("a terminal");
  close(master);
  return slave;
}

static void redirect(int place, const char *kind) {
  int file = -1;
  if (strcmp(kind, "closed") == 0) {
    close(place);
    return;
  }
  if (strcmp(kind, "full") == 0) file = open("/dev/full", O_RDWR);
  if (strcmp(kind, "null") == 0) file = open("/dev/null", O_RDWR);
  if (strcmp(kind, "unopened") == 0) file = open("/dev/null", place == 0 ? O_WRONLY : O_RDONLY);
  if (strcmp(kind, "broken") == 0) file = broken_pipe(place);
  if (strcmp(kind, "reset") == 0) file = reset_socket();
  if (strcmp(kind, "hung-up") == 0) file = hung_up_terminal();
  if (file < 0) lacking(kind);
  if (file == place) return;
  dup2(file, place);
  close(file);
}

static void apply(const char *condition) {
  const char *value = strchr(condition, '=');
  size_t length = value == NULL ? strlen(condition) : (size_t)(value++ - condition);
#define NAMED(name) (strlen(name) == length && strncmp(condition, name, length) == 0)
  if (NAMED("no-new-code")) {
    if (prctl(PR_SET_MDWE, 1, 0, 0, 0) != 0) lacking("memory that is never run once written");
  } else if (NAMED("address-space")) limit(RLIMIT_AS, value, condition);
  else if (NAMED("file-size")) limit(RLIMIT_FSIZE, value, condition);
  else if (NAMED("open-files")) limit(RLIMIT_NOFILE, value, condition);
  else if (NAMED("processes")) limit(RLIMIT_NPROC, value, condition);
  else if (NAMED("memory")) little_memory(value);
  else if (NAMED("old-profile")) old_profile();
  else if (NAMED("old-profile-of-threads")) old_profile_of_threads();
  else if (NAMED("no-shared-maps")) no_shared_maps();
  else if (NAMED("no-writable-maps")) no_writable_maps();
  else if (NAMED("no-ipv6")) no_ipv6();
  else if (NAMED("no-ipv6-address")) no_ipv6_address();
  else if (NAMED("empty")) mount_empty(value, "mode=0555", MS_RDONLY);
  else if (NAMED("small")) mount_small(value);
  else if (NAMED("readonly")) make_readonly(value);
  else if (NAMED("writable")) bind_over(value, 0);
  else if (NAMED("stdin")) redirect(0, value);
  else if (NAMED("stdout")) redirect(1, value);
  else if (NAMED("stderr")) redirect(2, value);
  else {
    fprintf(stderr, "under: unknown condition %s\n", condition);
    exit(78);
  }
}

int main(int count, char **words) {
  int at = 1;
  signal(SIGHUP, SIG_DFL);
  for (; at < count && strcmp(words[at], "--") != 0; at++) apply(words[at]);
  if (at + 1 >= count) {
    fprintf(stderr, "under: no program\n");
    return 78;
  }
  execvp(words[at + 1], words + at + 1);
  fprintf(stderr, "under: %s: %s\n", words[at + 1], strerror(errno));
  return 78;
}
