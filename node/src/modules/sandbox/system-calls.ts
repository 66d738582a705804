/** The number of a system call on each processor; absent if the processor has no such call. */
interface SystemCall {
  readonly x64?: number
  readonly arm64?: number
}

const both = (number: number): Required<SystemCall> => ({ x64: number, arm64: number })

/** Calls that a module never needs, and that escape its sandbox or use memory that no limit counts. */
export const DENIED_CALLS: Readonly<Record<string, SystemCall>> = {
  // Other processes.
  fork: { x64: 57 },
  vfork: { x64: 58 },
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: both(438),
  // Mounts and namespaces.
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  unshare: { x64: 272, arm64: 97 },
  setns: { x64: 308, arm64: 268 },
  open_tree: both(428),
  move_mount: both(429),
  fsopen: both(430),
  fsconfig: both(431),
  fsmount: both(432),
  fspick: both(433),
  mount_setattr: both(442),
  name_to_handle_at: { x64: 303, arm64: 264 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  // The kernel and the machine.
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  userfaultfd: { x64: 323, arm64: 282 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  keyctl: { x64: 250, arm64: 219 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  clock_adjtime: { x64: 305, arm64: 266 },
  adjtimex: { x64: 159, arm64: 171 },
  syslog: { x64: 103, arm64: 116 },
  iopl: { x64: 172 },
  ioperm: { x64: 173 },
  modify_ldt: { x64: 154 },
  fanotify_init: { x64: 300, arm64: 262 },
  // Memory other than private mappings, which are all that the limit counts.
  memfd_create: { x64: 319, arm64: 279 },
  memfd_secret: both(447),
  shmget: { x64: 29, arm64: 194 },
  msgget: { x64: 68, arm64: 186 },
  mq_open: { x64: 240, arm64: 180 },
  io_uring_setup: both(425)
}

/** Calls that are judged by their arguments. */
export const JUDGED_CALLS = {
  clone: { x64: 56, arm64: 220 },
  clone3: both(435),
  socket: { x64: 41, arm64: 198 },
  mmap: { x64: 9, arm64: 222 }
} as const satisfies Readonly<Record<string, SystemCall>>
