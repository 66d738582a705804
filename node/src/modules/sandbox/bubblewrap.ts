import { basename } from "node:path"
import { limitedCommand, type ResourceLimits } from "./resource-limits.ts"

/** Paths that a module sees inside its sandbox. */
export const INSIDE = {
  module: "/module",
  data: "/data",
  socket: "/run/lockstep/module.sock",
  /** Node.js, for programs written for it. */
  node: "/run/lockstep/bin/node",
  path: "/run/lockstep/bin:/usr/local/bin:/usr/bin:/bin"
} as const

/** Contents of a sandbox, as absolute paths of this machine. */
export interface Sandboxed {
  readonly moduleDirectory: string
  /** Path of the program below the directory of the module. */
  readonly program: string
  readonly dataDirectory: string
  readonly socket: string
  readonly nodeProgram: string
  readonly limits: ResourceLimits
}

/** The file descriptor from which bubblewrap reads the filter of system calls. */
const FILTER_DESCRIPTOR = 3

const NAMESPACES = ["user", "pid", "ipc", "net", "uts"].map((name) => `--unshare-${name}`)

/** Paths of the system that programs and their libraries need, mounted read-only. */
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

/** Options of every sandbox, including the trial. */
export const BASE_OPTIONS: ReadonlyArray<string> = [
  ...NAMESPACES,
  "--unshare-cgroup-try",
  // The module ends with the node, whatever ends the node.
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

/** No limit counts files in memory, and without capabilities root can still write kernel settings below `/proc`. */
const NOTHING_WRITABLE = ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]

/**
 * Returns the arguments with which bubblewrap runs a module in namespaces of its own. The module sees the system's
 * programs and its own directory, both read-only, one socket, and its data directory, the only one it may write to. It
 * has no network.
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
