import { mkdirSync, realpathSync, rmdirSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Libc } from "./libc.ts"
import type { Bind, SandboxPlan } from "./plan.ts"

/** Flags of `mount` and `umount2`. */
const MOUNT = { readOnly: 1, noSuid: 2, noDevices: 4, noPrograms: 8, bind: 0x1000, all: 0x4000, private: 0x4_0000 }
const DETACH = 2

/** Attributes of `mount_setattr`. */
const ATTRIBUTE = { readOnly: 1, noSuid: 2, noDevices: 4 }

/** Paths of the new root, and of the machine's root until it is detached. */
const ROOT = "/tmp"
const OLD = "/old"

const DEVICES = ["null", "zero", "full", "random", "urandom"]

/** Options of `prctl`. */
const PRCTL = { noNewPrivileges: 38, ambient: 47, dropBound: 24 }
const CLEAR_AMBIENT = 4
/** More than the kernel has. It refuses a number that it does not know, which changes nothing. */
const MOST_CAPABILITIES = 64

const isDirectory = (path: string): boolean => statSync(path).isDirectory()

/** Creates an empty directory or file as a mount point. */
const makePlace = (to: string, isForDirectory: boolean): void => {
  mkdirSync(isForDirectory ? to : dirname(to), { recursive: true })
  if (!isForDirectory) writeFileSync(to, "")
}

/**
 * Returns the real path of a bind's source, since links lead elsewhere in the new root. Returns `undefined` if the
 * source is missing and may be.
 */
const realSource = ({ from, mayBeMissing }: Bind): string | undefined => {
  try {
    return realpathSync(from)
  } catch (error) {
    if (mayBeMissing === true) return undefined
    throw error
  }
}

const makeDevices = (bindAt: (from: string, to: string, attributes: number) => void): void => {
  for (const name of DEVICES) {
    bindAt(`${OLD}/dev/${name}`, `/dev/${name}`, ATTRIBUTE.readOnly | ATTRIBUTE.noSuid)
  }
  mkdirSync("/dev/shm")
  symlinkSync("/proc/self/fd", "/dev/fd")
  for (const [i, name] of ["stdin", "stdout", "stderr"].entries()) symlinkSync(`/proc/self/fd/${i}`, `/dev/${name}`)
}

/** Makes a new root in the mount namespace of this process, with the plan's binds and nothing else. */
const enterRoot = (libc: Libc, { binds, calls, directory }: SandboxPlan): void => {
  const sources = binds.flatMap((bind) => {
    const source = realSource(bind)
    return source === undefined ? [] : [{ ...bind, source: `${OLD}${source}` }]
  })
  const bindAt = (from: string, to: string, attributes: number): void => {
    makePlace(to, isDirectory(from))
    libc.mount(from, to, null, MOUNT.bind | MOUNT.all, null)
    libc.setMount(calls.mountSetattr, to, attributes, true)
  }
  const { readOnly, noDevices, noPrograms, noSuid } = MOUNT
  libc.mount(null, "/", null, MOUNT.all | MOUNT.private, null)
  libc.mount("tmpfs", ROOT, "tmpfs", noSuid | noDevices, "mode=0755")
  mkdirSync(`${ROOT}${OLD}`)
  libc.pivotRoot(ROOT, `${ROOT}${OLD}`)
  process.chdir("/")
  // The kernel allows a new `/proc` as long as the old one is entirely visible.
  mkdirSync("/proc")
  libc.mount("proc", "/proc", "proc", noSuid | noDevices | noPrograms | readOnly, null)
  makeDevices(bindAt)
  for (const { isWritable, source, to } of sources) {
    const writable = isWritable === true ? 0 : ATTRIBUTE.readOnly
    bindAt(source, to, ATTRIBUTE.noSuid | ATTRIBUTE.noDevices | writable)
  }
  libc.unmount(OLD, DETACH)
  rmdirSync(OLD)
  libc.setMount(calls.mountSetattr, "/", ATTRIBUTE.readOnly | ATTRIBUTE.noSuid | ATTRIBUTE.noDevices, false)
  process.chdir(directory)
}

/** Drops every privilege of this process and of the program that it executes. */
export const dropPrivileges = ({ dropCapabilities, prctl }: Libc, { calls }: Pick<SandboxPlan, "calls">): void => {
  prctl(PRCTL.ambient, CLEAR_AMBIENT)
  for (let capability = 0; capability < MOST_CAPABILITIES; capability++) prctl(PRCTL.dropBound, capability)
  dropCapabilities(calls.capset)
  if (!prctl(PRCTL.noNewPrivileges, 1)) throw new Error("the kernel does not forbid new privileges")
}

/** Sets up the sandbox in the namespaces of this process, and executes the program of the plan. */
export const enterSandbox = (libc: Libc, plan: SandboxPlan): void => {
  libc.setHostname(plan.hostname)
  enterRoot(libc, plan)
  dropPrivileges(libc, plan)
  libc.filterCalls(Buffer.from(plan.filter, "base64"))
  libc.become(plan.command)
}
