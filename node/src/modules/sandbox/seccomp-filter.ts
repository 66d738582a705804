import { DENIED_CALLS, JUDGED_CALLS } from "./system-calls.ts"

/** Processors with a filter. */
export type Processor = "x64" | "arm64"

/** One instruction of classic BPF. `jumps` are the numbers of instructions skipped if a comparison holds and if not. */
interface Instruction {
  readonly code: number
  readonly operand: number
  readonly jumps: readonly [holds: number, fails: number]
}

const CODE = { load: 0x20, and: 0x54, equal: 0x15, atLeast: 0x35, anyBit: 0x45, answer: 0x06 } as const

const ANSWER = { allow: 0x7fff_0000, refuse: 0x0005_0000, kill: 0x8000_0000 } as const

const ERROR = { EPERM: 1, ENOMEM: 12, ENOSYS: 38, EAFNOSUPPORT: 97 } as const

/** Offsets in the kernel's `struct seccomp_data`; of an argument, the offset of its lower half. */
const NUMBER = 0
const PROCESSOR = 4
const argument = (index: number): number => 16 + 8 * index

/** The kernel's constants for the processors. */
const AUDIT_NUMBER: Readonly<Record<Processor, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Numbers from here on belong to x32 programs on x64. */
const X32 = 0x4000_0000

const instruction = (code: number, operand: number, holds = 0, fails = 0): Instruction => ({
  code,
  operand,
  jumps: [holds, fails]
})

const load = (offset: number): Instruction => instruction(CODE.load, offset)
const allow = instruction(CODE.answer, ANSWER.allow)
const refuse = (error: number): Instruction => instruction(CODE.answer, ANSWER.refuse | error)

/** Instructions for one call; another call skips them. */
const forCall = (number: number, body: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  instruction(CODE.equal, number, 0, body.length),
  ...body
]

const CLONE_THREAD = 0x1_0000
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET. */
const CLONE_NAMESPACES = 0x7e02_0000

/** Allows a new thread; refuses a new process and a new namespace. */
const CLONE: ReadonlyArray<Instruction> = [
  load(argument(0)),
  instruction(CODE.anyBit, CLONE_NAMESPACES, 1, 0),
  instruction(CODE.anyBit, CLONE_THREAD, 1, 0),
  refuse(ERROR.EPERM),
  allow
]

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: the families that the network namespace isolates. */
const FAMILIES = [1, 2, 10, 16]

const SOCKET: ReadonlyArray<Instruction> = [
  load(argument(0)),
  ...FAMILIES.map((family, i) => instruction(CODE.equal, family, FAMILIES.length - i, 0)),
  refuse(ERROR.EAFNOSUPPORT),
  allow
]

/** MAP_SHARED and MAP_ANONYMOUS together: memory that the limit does not count. */
const SHARED_ANONYMOUS = 0x21

const MMAP: ReadonlyArray<Instruction> = [
  load(argument(3)),
  instruction(CODE.and, SHARED_ANONYMOUS),
  instruction(CODE.equal, SHARED_ANONYMOUS, 0, 1),
  refuse(ERROR.ENOMEM),
  allow
]

const programFor = (processor: Processor): ReadonlyArray<Instruction> => [
  load(PROCESSOR),
  instruction(CODE.equal, AUDIT_NUMBER[processor], 1, 0),
  instruction(CODE.answer, ANSWER.kill),
  load(NUMBER),
  instruction(CODE.atLeast, X32, 0, 1),
  refuse(ERROR.ENOSYS),
  ...Object.values(DENIED_CALLS).flatMap(({ [processor]: number }) =>
    number === undefined ? [] : forCall(number, [refuse(ERROR.EPERM)])
  ),
  // The flags of `clone3` are in memory, which a filter cannot read; libraries then use `clone`.
  ...forCall(JUDGED_CALLS.clone3[processor], [refuse(ERROR.ENOSYS)]),
  ...forCall(JUDGED_CALLS.clone[processor], CLONE),
  ...forCall(JUDGED_CALLS.socket[processor], SOCKET),
  ...forCall(JUDGED_CALLS.mmap[processor], MMAP),
  allow
]

const INSTRUCTION_BYTES = 8

/**
 * Returns the system calls that a module may make, as a program of classic BPF (`struct sock_filter`, little-endian)
 * that the kernel runs at each call. A refused call fails with an error; a call of another kind of processor ends the
 * process.
 */
export const seccompFilter = (processor: Processor): Uint8Array => {
  const program = programFor(processor)
  const bytes = new Uint8Array(program.length * INSTRUCTION_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [i, { code, jumps, operand }] of program.entries()) {
    const at = i * INSTRUCTION_BYTES
    view.setUint16(at, code, true)
    view.setUint8(at + 2, jumps[0])
    view.setUint8(at + 3, jumps[1])
    view.setUint32(at + 4, operand, true)
  }
  return bytes
}
