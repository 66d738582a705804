import { basename } from "node:path"
import { limitedCommand, type ResourceLimits } from "./resource-limits.ts"

/** Where a module finds what it needs, as it sees it. */
export const INSIDE = {
  module: "/module",
  data: "/data",
  socket: "/run/lockstep/module.sock",
  /** Node.js, for programs written for it. */
  node: "/run/lockstep/bin/node",
  path: "/run/lockstep/bin:/usr/local/bin:/usr/bin:/bin"
} as const

/** What is put into a sandbox: absolute paths of this machine. */
export interface Sandboxed {
  readonly moduleDirectory: string
  /** Of the program, below the directory of the module. */
  readonly program: string
  readonly dataDirectory: string
  readonly socket: string
  readonly nodeProgram: string
  readonly limits: ResourceLimits
}

/** The file descriptor from which bubblewrap reads the filter of system calls. */
const FILTER_DESCRIPTOR = 3

const NAMESPACES = ["user", "pid", "ipc", "net", "uts"].map((name) => `--unshare-${name}`)

/** What programs and their libraries need of the system, read-only. */
export const SYSTEM_PLACES: ReadonlyArray<string> = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/etc/alternatives",
  "/etc/ld.so.cache"
]

const SYSTEM = SYSTEM_PLACES.flatMap((path) => ["--ro-bind-try", path, path])

/** Options that hold for every sandbox, also the one that is tried first. */
export const BASE_OPTIONS: ReadonlyArray<string> = [
  ...NAMESPACES,
  "--unshare-cgroup-try",
  // The module does not outlive the node, whatever ends it.
  "--die-with-parent",
  // No terminal to write into.
  "--new-session",
  "--cap-drop",
  "ALL",
  ...SYSTEM,
  "--proc",
  "/proc",
  "--dev",
  "/dev"
]

/** Files in memory are counted by no limit. The settings of the kernel below `/proc` are writable for root without capabilities. */
const NOTHING_WRITABLE = ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]

/**
 * The arguments of bubblewrap with which it runs a module in namespaces of its own. It sees the system's programs and its own directory, both
 * read-only, one socket, and its data directory, which alone it may write to. There is no network.
 */
export const bubblewrapCommand = (sandboxed: Sandboxed): ReadonlyArray<string> => {
  const { dataDirectory, limits, moduleDirectory, nodeProgram, program, socket } = sandboxed
  return [
    ...BASE_OPTIONS,
    "--hostname",
    basename(dataDirectory),
    "--ro-bind",
    nodeProgram,
    INSIDE.node,
    "--ro-bind",
    moduleDirectory,
    INSIDE.module,
    "--bind",
    dataDirectory,
    INSIDE.data,
    "--bind",
    socket,
    INSIDE.socket,
    ...NOTHING_WRITABLE,
    "--chdir",
    INSIDE.data,
    "--seccomp",
    String(FILTER_DESCRIPTOR),
    "--",
    ...limitedCommand(limits, [`${INSIDE.module}/${program}`])
  ]
}
