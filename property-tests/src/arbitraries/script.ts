import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { pushOf } from "../oracles/instructions.ts"
import { edgeBytes, mutated } from "./bytes.ts"
import { numberOperand } from "./number.ts"

/** A push of `data` by another instruction than the shortest; the length bytes stay right. */
const clumsyPush = (data: Uint8Array, lengthBytes: 1 | 2 | 4): Uint8Array => {
  const opcode = lengthBytes === 1 ? 76 : lengthBytes === 2 ? 77 : 78
  const n = data.length
  return join([opcode], [n & 0xff, (n >> 8) & 0xff, (n >> 16) & 0xff, n >>> 24].slice(0, lengthBytes), data)
}

/** A whole push, of a number, of bytes of any edge length, or of bytes by a longer instruction than needed. */
export const pushInstruction: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: numberOperand.map(pushOf) },
  { weight: 2, arbitrary: edgeBytes().map(pushOf) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(edgeBytes(255), fc.constantFrom(1 as const, 2 as const, 4 as const))
      .map(([data, size]) => clumsyPush(data, size))
  }
)

const one = (opcode: number): Uint8Array => Uint8Array.of(opcode)
const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

const smallPush = fc.constantFrom(0, 79, ...range(81, 96)).map(one)
const stackOpcode = fc.constantFrom(...range(107, 125), 130, 135, 136).map(one)
const arithmeticOpcode = fc.constantFrom(139, 140, ...range(143, 148), ...range(154, 165)).map(one)
const flowOpcode = fc.constantFrom(97, 99, 100, 103, 104, 105, 106).map(one)
const cryptoOpcode = fc.constantFrom(...range(166, 175), 186).map(one)
const nopOpcode = fc.constantFrom(...range(176, 185)).map(one)
const anyOpcode = fc.integer({ min: 79, max: 255 }).map(one)
const balancedIf = fc
  .tuple(
    fc.constantFrom(0, 81, 82),
    fc.constantFrom(99, 100),
    fc.array(fc.oneof(smallPush, stackOpcode), { maxLength: 3 })
  )
  .map(([argument, opcode, body]) => join([argument, opcode], ...body, [103], ...body, [104]))

/** One instruction of a script, or a small block of them. */
export const instruction: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: smallPush },
  { weight: 4, arbitrary: pushInstruction },
  { weight: 6, arbitrary: stackOpcode },
  { weight: 4, arbitrary: arithmeticOpcode },
  { weight: 2, arbitrary: flowOpcode },
  { weight: 2, arbitrary: balancedIf },
  { weight: 2, arbitrary: cryptoOpcode },
  { weight: 1, arbitrary: nopOpcode },
  { weight: 1, arbitrary: anyOpcode }
)

/** Instructions without a plan. A run of small pushes first, so that most get somewhere. */
export const opcodeSoup: Arbitrary<Uint8Array> = fc
  .tuple(fc.array(smallPush, { maxLength: 6 }), fc.array(instruction, { maxLength: 24 }))
  .map(([pushes, rest]) => join(...pushes, ...rest))

/** Nothing but pushes. */
export const pushOnlyScript: Arbitrary<Uint8Array> = fc
  .array(fc.oneof(smallPush, pushInstruction), { maxLength: 6 })
  .map((parts) => join(...parts))

/** Any byte string as a script: soup, soup with small damage, bytes. */
export const anyScript: Arbitrary<Uint8Array> = fc.oneof(
  { weight: 5, arbitrary: opcodeSoup },
  { weight: 3, arbitrary: mutated(opcodeSoup) },
  { weight: 1, arbitrary: pushOnlyScript },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) }
)
