import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { decodeMiniscript } from "@lockstep/descriptors/descriptor/miniscript/decode-miniscript.ts"
import type { Fragment, Surroundings } from "@lockstep/descriptors/descriptor/miniscript/fragment.ts"
import { miniscriptText } from "@lockstep/descriptors/descriptor/miniscript/miniscript-text.ts"
import { parseMiniscript } from "@lockstep/descriptors/descriptor/miniscript/parse-miniscript.ts"
import { hasProperties } from "@lockstep/descriptors/descriptor/miniscript/properties.ts"
import { insanityOf } from "@lockstep/descriptors/descriptor/miniscript/sanity.ts"
import { spendingPaths } from "@lockstep/descriptors/descriptor/miniscript/spending-paths.ts"
import { largestWitness } from "@lockstep/descriptors/descriptor/miniscript/witness-sizes.ts"
import { scriptOfMiniscript } from "@lockstep/descriptors/descriptor/miniscript/script-of-miniscript.ts"
import { hexOf } from "../../../src/hex.ts"
import { REGRESSIONS } from "../regressions-directory.ts"

/** A text that may be a miniscript. */
interface MiniscriptText {
  readonly text: string
  readonly isTapscript: boolean
}

const LEAVES = [
  "0",
  "1",
  "pk(7)",
  "pkh(8)",
  "pk_k(9)",
  "pk_h(10)",
  "older(144)",
  "after(500000001)",
  "older(0)",
  "multi(1,1,2)",
  "multi_a(2,3,4)"
]
const HASHES = [["sha256", 32], ["hash256", 32], ["ripemd160", 20], ["hash160", 20]] as const
const BRANCHES = [["and_v", 2], ["and_b", 2], ["and_n", 2], ["or_b", 2], ["or_c", 2], ["or_d", 2], ["or_i", 2], [
  "andor",
  3
]] as const
const NOISE = ["(", ")", ",", ":", "", "v", "thresh(1,", "4294967296", "-1", "\u{0}", "00"]

const anyExpression = (random: Random, depth: number): string => {
  const letters = Array.from({ length: random.below(4) }, () => random.pick([..."asctdvjnlu"])).join("")
  const before = letters === "" || random.oneIn(2) ? "" : `${letters}:`
  if (depth <= 0 || random.oneIn(4)) {
    if (!random.oneIn(4)) return before + random.pick(LEAVES)
    const [name, size] = random.pick(HASHES)
    return `${before}${name}(${hexOf(random.bytes(random.oneIn(20) ? 31 : size))})`
  }
  const parts = (count: number): string =>
    Array.from({ length: count }, () => anyExpression(random, depth - 1)).join(",")
  if (random.oneIn(6)) {
    const count = 1 + random.below(4)
    return `${before}thresh(${random.below(count + 2)},${parts(count)})`
  }
  const [name, count] = random.pick(BRANCHES)
  return `${before}${name}(${parts(count)})`
}

const withNoise = (text: string, random: Random): string => {
  const [from, length] = [random.below(text.length + 1), random.below(3)]
  return text.slice(0, from) + random.pick(NOISE) + text.slice(from + length)
}

const keyBytes = (key: number, size: number): Uint8Array => {
  const bytes = new Uint8Array(size).fill(7)
  bytes[0] = 2
  new DataView(bytes.buffer).setUint32(4, key)
  return bytes
}

const keyIn = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getUint32(4)

const parsed = (text: string, surroundings: Surroundings) => {
  const names: Array<string> = []
  const root = parseMiniscript(text, surroundings, (name) => names.push(name) - 1)
  return { root, nameOf: (key: number) => names[key]! }
}

/** What the ways to satisfy a miniscript say otherwise than its largest witness. */
const wrongWays = (text: string, root: Fragment, surroundings: Surroundings): string | undefined => {
  const most = largestWitness(root, surroundings) ?? -Infinity
  const { isCut, paths } = spendingPaths(root, surroundings)
  const size = Math.max(...paths.map((path) => path.size))
  if (size > most) return `a way of ${text} has ${size} bytes, not ${most} at most`
  const isMixed = !hasProperties(root.properties, "k")
  if (!isCut && !isMixed && size < most) return `the largest witness of ${text} has ${most} bytes, and its ways ${size}`
  return undefined
}

const judged = ({ isTapscript, text }: MiniscriptText): string | undefined => {
  const surroundings = isTapscript ? "tr" : "wsh"
  const { nameOf, root } = parsed(text, surroundings)
  if (root === undefined) return undefined
  insanityOf(root, surroundings, nameOf)
  const ways = wrongWays(text, root, surroundings)
  if (ways !== undefined) return ways
  const shown = miniscriptText(root, nameOf)
  const again = parsed(shown, surroundings)
  if (again.root === undefined || miniscriptText(again.root, again.nameOf) !== shown) {
    return `${shown} is read otherwise`
  }
  if (again.root.properties !== root.properties) return `${shown} has other properties than what it is written from`
  const size = isTapscript ? 32 : 33
  const keys = { bytes: (key: number) => keyBytes(key, size), hash: (key: number) => keyBytes(key, 20) }
  const script = scriptOfMiniscript(root, keys)
  if (script.length !== root.size) return `the script of ${shown} has ${script.length} bytes, not ${root.size}`
  if (!hasProperties(root.properties, "B")) return undefined
  const decoded = decodeMiniscript(script, surroundings, { ofBytes: keyIn, ofHash: keyIn })
  if (decoded === undefined) return `the script of ${shown} is no miniscript`
  return hexOf(scriptOfMiniscript(decoded, keys)) === hexOf(script)
    ? undefined
    : `${shown} has another script once decoded`
}

/** Texts that are a miniscript or nearly one: written and read again they are the same, as text and as script. */
export const miniscriptTarget: Target<MiniscriptText> = {
  name: "miniscript",
  about: "texts are miniscripts or none; what is read is the same once written, and once read from its script",
  generate: (random) => {
    const text = anyExpression(random, random.below(5))
    return { text: random.oneIn(3) ? withNoise(text, random) : text, isTapscript: random.oneIn(2) }
  },
  judge: judged,
  regressions: REGRESSIONS
}
