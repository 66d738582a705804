import { assert, describe, it } from "@effect/vitest"
import { type Processor, seccompFilter } from "../../../src/modules/sandbox/seccomp-filter.ts"

/** A call as the kernel shows it to a filter: `struct seccomp_data`. */
const callOf = (processor: number, number: number, args: ReadonlyArray<bigint> = []): DataView => {
  const data = new DataView(new ArrayBuffer(64))
  data.setUint32(0, number, true)
  data.setUint32(4, processor, true)
  args.forEach((each, i) => data.setBigUint64(16 + 8 * i, each, true))
  return data
}

/** Runs a program of classic BPF over a call, as the kernel does; answers what it returns. */
const judge = (filter: Uint8Array, call: DataView): number => {
  const program = new DataView(filter.buffer, filter.byteOffset, filter.length)
  let accumulator = 0
  for (let at = 0; at < filter.length; at += 8) {
    const [code, operand] = [program.getUint16(at, true), program.getUint32(at + 4, true)]
    const jump = (holds: boolean): void => void (at += 8 * program.getUint8(at + (holds ? 2 : 3)))
    if (code === 0x20) accumulator = call.getUint32(operand, true)
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0
    else if (code === 0x15) jump(accumulator === operand)
    else if (code === 0x35) jump(accumulator >= operand)
    else if (code === 0x45) jump((accumulator & operand) !== 0)
    else if (code === 0x06) return operand
    else throw new Error(`there is no instruction ${code}`)
  }
  throw new Error("the program has no end")
}

const ALLOWED = 0x7fff_0000
const KILLED = 0x8000_0000
const refusedWith = (error: number): number => 0x0005_0000 + error
const [EPERM, ENOMEM, ENOSYS, EAFNOSUPPORT] = [1, 12, 38, 97]

/** What the headers of Linux call them: AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64. */
const PROCESSORS = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const

const numbers = (text: string): ReadonlyArray<number> => text.split(" ").map(Number)

/** The numbers in the headers of Linux, `asm/unistd_64.h` and `asm-generic/unistd.h`. */
const DENIED: Readonly<Record<Processor, ReadonlyArray<number>>> = {
  x64: numbers(
    "29 57 58 68 101 103 154 155 159 161 163 164 165 166 167 168 169 172 173 175 176 179 227 240 246 " +
      "248 249 250 272 298 300 303 304 305 308 310 311 312 313 319 320 321 323 425 428 429 430 431 432 " +
      "433 438 442 447"
  ),
  arm64: numbers(
    "39 40 41 51 60 89 97 104 105 106 112 116 117 142 170 171 180 186 194 217 218 219 224 225 241 " +
      "262 264 265 266 268 270 271 272 273 279 280 282 294 425 428 429 430 431 432 433 438 442 447"
  )
}
const CALLS = {
  x64: { clone: 56, clone3: 435, socket: 41, mmap: 9 },
  arm64: { clone: 220, clone3: 435, socket: 198, mmap: 222 }
} as const

describe.each(["x64", "arm64"] as const)("the system calls of a module on %s", (processor) => {
  const filter = seccompFilter(processor)
  const { clone, clone3, mmap, socket } = CALLS[processor]
  const of = (number: number, ...args: ReadonlyArray<bigint>): number =>
    judge(filter, callOf(PROCESSORS[processor], number, args))

  it("are allowed but for those that reach out of its sandbox, which fail with EPERM", () => {
    const judged: ReadonlyArray<number> = [clone, clone3, mmap, socket]
    const denied = new Set(DENIED[processor])
    for (let number = 0; number < 1_000; number++) {
      if (judged.includes(number)) continue
      assert.strictEqual(of(number), denied.has(number) ? refusedWith(EPERM) : ALLOWED, String(number))
    }
  })

  it("make threads, and no processes or namespaces", () => {
    const thread = 0x3d0f00n
    assert.strictEqual(of(clone, thread), ALLOWED)
    assert.strictEqual(of(clone, 0x1_0000n), ALLOWED)
    // SIGCHLD alone, as fork has it, and vfork.
    for (const flags of [17n, 0x4111n, 0n]) assert.strictEqual(of(clone, flags), refusedWith(EPERM))
    for (
      const namespace of [0x2_0000n, 0x200_0000n, 0x400_0000n, 0x800_0000n, 0x1000_0000n, 0x2000_0000n, 0x4000_0000n]
    ) {
      assert.strictEqual(of(clone, namespace | thread), refusedWith(EPERM), namespace.toString(16))
    }
    assert.strictEqual(of(clone3), refusedWith(ENOSYS))
  })

  it("make sockets of the families that its namespace holds", () => {
    const families = [1n, 2n, 10n, 16n]
    for (let family = 0n; family < 64n; family++) {
      assert.strictEqual(
        of(socket, family),
        families.includes(family) ? ALLOWED : refusedWith(EAFNOSUPPORT),
        `${family}`
      )
    }
  })

  it("map no memory that is shared and belongs to no file, which no limit counts", () => {
    const mapped = (flags: bigint): number => of(mmap, 0n, 4_096n, 3n, flags, 0n, 0n)
    for (const flags of [0x21n, 0x4021n, 0x3fn]) assert.strictEqual(mapped(flags), refusedWith(ENOMEM))
    for (const flags of [0x22n, 0x01n, 0x02n, 0x20n, 0x4022n]) assert.strictEqual(mapped(flags), ALLOWED)
  })

  it("of another processor end the program, and those of x32 do not exist", () => {
    const other = processor === "x64" ? PROCESSORS.arm64 : PROCESSORS.x64
    for (const kind of [other, 0x4000_0003, 0]) assert.strictEqual(judge(filter, callOf(kind, 0)), KILLED)
    for (const number of [0x4000_0000, 0x4000_0039, 0xffff_ffff]) assert.strictEqual(of(number), refusedWith(ENOSYS))
    assert.strictEqual(of(0x3fff_ffff), ALLOWED)
  })
})
