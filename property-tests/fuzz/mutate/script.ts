import { join, littleEndian } from "../../src/oracles/byte-string.ts"
import { instructionsOf, pushOf } from "../../src/oracles/instructions.ts"
import { bytesOfNumber } from "../../src/oracles/script-number.ts"
import type { Random } from "../random.ts"
import { mutateBytes } from "./bytes.ts"

const NUMBERS: ReadonlyArray<bigint> = [
  0n,
  1n,
  -1n,
  2n,
  16n,
  17n,
  20n,
  21n,
  127n,
  128n,
  255n,
  256n,
  32_768n,
  2_147_483_647n,
  -2_147_483_647n,
  2_147_483_648n,
  4_294_967_295n,
  499_999_999n,
  500_000_000n,
  1n << 22n,
  (1n << 31n) - 1n,
  1n << 39n
]

const parts = (script: Uint8Array): ReadonlyArray<Uint8Array> => {
  const { instructions, rest } = instructionsOf(script)
  const whole = instructions.map(({ start, end }) => script.subarray(start, end))
  return rest < script.length ? [...whole, script.subarray(rest)] : whole
}

/** A push by a prefix that may be longer than needed, or may state another length than there is. */
const oddPush = (data: Uint8Array, random: Random): Uint8Array => {
  const observed = data.length + (random.oneIn(4) ? random.below(3) - 1 : 0)
  const size = random.pick([1, 2, 4])
  return join([size === 1 ? 76 : size === 2 ? 77 : 78], littleEndian(observed, size), data)
}

/** One instruction to put somewhere. */
export const randomInstruction = (random: Random, data: Uint8Array): Uint8Array => {
  switch (random.below(8)) {
    case 0:
      return Uint8Array.of(random.below(256))
    case 1:
      return Uint8Array.of(random.pick([0, 79, 81, 82, 83, 84, 96]))
    case 2:
      return pushOf(bytesOfNumber(random.pick(NUMBERS)))
    case 3:
      return pushOf(data)
    case 4:
      return oddPush(data, random)
    case 5:
      return Uint8Array.of(random.pick([99, 100, 103, 104, 105, 106, 171, 172, 173, 174, 175, 177, 178, 186]))
    case 6:
      return Uint8Array.of(107 + random.below(79))
    default:
      return pushOf(random.bytes(random.pick([0, 1, 2, 4, 5, 20, 32, 33, 64, 65, 75, 76, 255, 520, 521])))
  }
}

const spliced = (script: ReadonlyArray<Uint8Array>, random: Random, other: Uint8Array): ReadonlyArray<Uint8Array> => {
  const others = parts(other)
  const from = random.below(others.length + 1)
  return [
    ...script.slice(0, random.below(script.length + 1)),
    ...others.slice(from, from + 1 + random.below(6)),
    ...script.slice(random.below(script.length + 1))
  ]
}

const changedOnce = (script: Uint8Array, random: Random, other: Uint8Array): Uint8Array => {
  const list = parts(script)
  const at = random.below(list.length)
  const chosen = list[at] ?? new Uint8Array(0)
  const { data } = instructionsOf(chosen).instructions[0] ?? { data: new Uint8Array(0) }
  const withPart = (...part: ReadonlyArray<Uint8Array>): Uint8Array =>
    join(...list.slice(0, at), ...part, ...list.slice(at + 1))
  switch (random.below(9)) {
    case 0:
      return withPart(randomInstruction(random, data), chosen)
    case 1:
      return withPart(chosen, randomInstruction(random, data))
    case 2:
      return withPart(randomInstruction(random, data))
    case 3:
      return withPart()
    case 4:
      return withPart(...Array.from({ length: 1 + random.below(random.oneIn(20) ? 300 : 3) }, () => chosen))
    case 5:
      return withPart(list[(at + 1) % list.length] ?? chosen, chosen)
    case 6:
      return withPart(random.oneIn(2) ? pushOf(mutateBytes(data, random)) : oddPush(data, random))
    case 7:
      return join(...spliced(list, random, other))
    default:
      return mutateBytes(script, random, other)
  }
}

/** `script` after one to three edits, most of them of whole instructions. */
export const mutateScript = (script: Uint8Array, random: Random, other: Uint8Array = script): Uint8Array => {
  let result = script
  for (let left = 1 + random.below(3); left > 0 && result.length < 60_000; left--) {
    result = changedOnce(result, random, other)
  }
  return result
}
