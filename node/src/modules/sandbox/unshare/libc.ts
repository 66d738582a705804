import { loadKoffi } from "@lockstep/crypto/native-memory.ts"

/** Makes the error of a failed function of the C library. */
const failure = (what: string, errno: number): Error => new Error(`${what} failed with error ${errno} of the system`)

/** `AT_FDCWD`, `AT_RECURSIVE`. */
const HERE = -100
const RECURSIVE = 0x8000

/** Bytes of `struct mount_attr` and of the arguments of `capset`: a header, and three sets in two halves. */
const MOUNT_ATTR_BYTES = 32
const CAPABILITY_HEADER = 8
const CAPABILITY_SETS = 24
/** Version 3 of the header. */
const CAPABILITY_VERSION = 0x2008_0522

const SECCOMP = { option: 22, filter: 2 } as const

/** Bytes of one instruction of a filter. */
const INSTRUCTION_BYTES = 8

const SIGPIPE = 13
const F_SETFD = 2

/** Functions by which a process changes its own state in the kernel. Each throws if the kernel refuses. */
export interface Libc {
  readonly mount: (from: string | null, to: string, type: string | null, flags: number, options: string | null) => void
  readonly pivotRoot: (to: string, old: string) => void
  readonly unmount: (path: string, flags: number) => void
  /** Adds attributes to a mount, and to all below it if `isDeep`. */
  readonly setMount: (number: number, path: string, attributes: number, isDeep: boolean) => void
  readonly setHostname: (name: string) => void
  readonly prctl: (option: number, value: number) => boolean
  readonly dropCapabilities: (number: number) => void
  readonly filterCalls: (program: Uint8Array) => void
  /** Executes another program, found as a shell finds it, in the environment of this one. */
  readonly become: (command: ReadonlyArray<string>) => void
}

/** Opens the C library of this process. Throws if it cannot be called. */
export const openLibc = (): Libc => {
  const found = loadKoffi()
  if (!found.ok) throw new Error("the C library cannot be called: there is no koffi for this machine")
  const koffi = found.value
  const library = koffi.load(null)
  const declared = (signature: string) => library.func(signature) as unknown as (...values: Array<unknown>) => number
  const done = (what: string, answer: number): void => {
    if (Number(answer) < 0) throw failure(what, koffi.errno())
  }
  const mount = declared("int mount(const char *, const char *, const char *, unsigned long, const char *)")
  const pivot = declared("int pivot_root(const char *, const char *)")
  const unmount = declared("int umount2(const char *, int)")
  const hostname = declared("int sethostname(const char *, size_t)")
  const prctl = declared("int prctl(int, unsigned long, unsigned long, unsigned long, unsigned long)")
  const seccomp = declared("int prctl(int, unsigned long, void *, unsigned long, unsigned long)")
  const setattr = declared("long syscall(long, long, const char *, unsigned long, void *, unsigned long)")
  const capset = declared("long syscall(long, void *, void *)")
  const execvp = declared("int execvp(const char *, const char **)")
  const signal = declared("long signal(int, long)")
  const fcntl = declared("int fcntl(int, int, long)")
  return {
    mount: (from, to, type, flags, options) => done(`a mount at ${to}`, mount(from, to, type, flags, options)),
    pivotRoot: (to, old) => done("pivot_root", pivot(to, old)),
    unmount: (path, flags) => done(`the unmount of ${path}`, unmount(path, flags)),
    setMount: (number, path, attributes, isDeep) => {
      const wanted = Buffer.alloc(MOUNT_ATTR_BYTES)
      wanted.writeBigUInt64LE(BigInt(attributes), 0)
      const flags = isDeep ? RECURSIVE : 0
      done(`mount_setattr of ${path}`, setattr(number, HERE, path, flags, wanted, MOUNT_ATTR_BYTES))
    },
    setHostname: (name) => done("sethostname", hostname(name, Buffer.byteLength(name))),
    prctl: (option, value) => prctl(option, value, 0, 0, 0) === 0,
    dropCapabilities: (number) => {
      const header = Buffer.alloc(CAPABILITY_HEADER)
      header.writeUInt32LE(CAPABILITY_VERSION, 0)
      done("capset", capset(number, header, Buffer.alloc(CAPABILITY_SETS)))
    },
    filterCalls: (program) => {
      const memory = koffi.alloc("uint8_t", program.length) as bigint
      new Uint8Array(koffi.view(memory, program.length)).set(program)
      const described = Buffer.alloc(16)
      described.writeUInt16LE(program.length / INSTRUCTION_BYTES, 0)
      described.writeBigUInt64LE(koffi.address(memory), 8)
      done("seccomp", seccomp(SECCOMP.option, SECCOMP.filter, described, 0, 0))
    },
    become: (command) => {
      // Node.js ignores this signal, and closes its streams when another program is executed.
      signal(SIGPIPE, 0)
      for (const descriptor of [0, 1, 2]) fcntl(descriptor, F_SETFD, 0)
      done(`the start of ${command[0]}`, execvp(command[0], [...command, null]))
    }
  }
}
