import { assemble, type Parts } from "../formats/assembler.ts"
import { join, toHex } from "./bytes.ts"
import { publicKey, secretKey } from "./curve.ts"
import { leafHash, revealed, TAPSCRIPT } from "./leaves.ts"
import { CONSENSUS, push } from "./spends.ts"
import { breaks, type RuleVectors, type VectorCase } from "./vector.ts"

interface PathSpend {
  readonly secret?: number
  readonly version?: number
  readonly path?: ReadonlyArray<Uint8Array>
  readonly items?: ReadonlyArray<unknown>
  readonly annex?: string
  readonly flags?: string
  readonly rules?: ReadonlyArray<string>
  /** The script as the file writes it, where it is too long to be written out. */
  readonly written?: unknown
  /** What the witness reveals in place of script and control block. */
  readonly reveal?: (script: Uint8Array, control: Uint8Array) => readonly [Uint8Array, Uint8Array]
}

const spend = (name: string, expect: unknown, asm: Parts, given: PathSpend = {}): VectorCase => {
  const { version = TAPSCRIPT, path = [], items = [], annex, flags = CONSENSUS, rules } = given
  const script = assemble(asm)
  const { outputKey, control } = revealed(secretKey(given.secret ?? 5), script, path, version)
  const [shownScript, shownControl] = given.reveal?.(script, control) ?? [script, control]
  const witness = [
    ...items,
    given.written ?? toHex(shownScript),
    toHex(shownControl),
    ...annex === undefined ? [] : [annex]
  ]
  return {
    name,
    ...rules !== undefined && { rules },
    spend: { scriptPubKey: `1 ${push(outputKey)}`, witness, flags },
    expect
  }
}

const sibling = leafHash(assemble("2"))
const uncle = leafHash(assemble("3"))
const deep = (depth: number): ReadonlyArray<Uint8Array> => Array.from({ length: depth }, () => sibling)

const flipped = (bytes: Uint8Array, at: number): Uint8Array => bytes.map((byte, i) => i === at ? byte ^ 1 : byte)

/** Numbers of internal keys whose output keys, for a lone leaf OP_1, have even and odd y. */
const parityOf = (secret: number): number => revealed(secretKey(secret), assemble("1")).control[0]! & 1
const withParity = (parity: number, from = 5): number => parityOf(from) === parity ? from : withParity(parity, from + 1)
/** The same for a leaf of version 0x50, whose control block must not look like an annex. */
const oddVersion50 = (from = 5): number =>
  revealed(secretKey(from), assemble("RETURN"), [], 0x50).control[0] === 0x51 ? from : oddVersion50(from + 1)

const SIZE = breaks("TAP-004", "TAPROOT_WRONG_CONTROL_SIZE")
const MISMATCH = breaks("TAP-007", "WITNESS_PROGRAM_MISMATCH")
const BUDGET = breaks("TAP-011", "TAPSCRIPT_VALIDATION_WEIGHT")
const withFlag = (flag: string): string => `${CONSENSUS},${flag}`

/** Two signatures by keys of unknown type: with script, control block and one item it has a budget of 95. */
const twoChecks = "DUP 0x01 0x02 CHECKSIGVERIFY 0x01 0x02 CHECKSIG"
const LONG = { repeat: "NOP", times: 10_000 }

export const scriptPathSpends: RuleVectors = {
  rule: "TAP-016",
  cases: [
    spend("a lone leaf, output key with even y", "holds", "1", {
      secret: withParity(0),
      rules: ["TAP-004", "TAP-005", "TAP-006", "TAP-007", "TAP-008", "TAP-010", "TAP-017", "WIT-011"]
    }),
    spend("a lone leaf, output key with odd y", "holds", "1", { secret: withParity(1) }),
    spend("a leaf with a sibling", "holds", "1", { path: [sibling] }),
    spend("the sibling", "holds", "2", { path: [leafHash(assemble("1"))] }),
    spend("a leaf two steps deep", "holds", "1", { path: [sibling, uncle] }),
    spend("a leaf 128 steps deep", "holds", "1", { path: deep(128) }),
    spend("a leaf 129 steps deep cannot be spent", SIZE, "1", { path: deep(129) }),
    spend("the control block lacks a byte", SIZE, "1", { reveal: (s, c) => [s, c.subarray(0, 32)] }),
    spend("the control block has a byte too many", SIZE, "1", { reveal: (s, c) => [s, join(c, Uint8Array.of(0))] }),
    spend("the size of the control block comes before the commitment", SIZE, "1", {
      reveal: (_, c) => [assemble("2"), c.subarray(0, 32)]
    }),
    spend("another script", MISMATCH, "1", { reveal: (_, c) => [assemble("2"), c] }),
    spend("the wrong parity", MISMATCH, "1", { reveal: (s, c) => [s, flipped(c, 0)] }),
    spend("another internal key", MISMATCH, "1", { reveal: (s, c) => [s, join(c.subarray(0, 1), publicKey(9).xOnly)] }),
    spend("another sibling", MISMATCH, "1", { path: [sibling], reveal: (s, c) => [s, flipped(c, 64)] }),
    spend("the path in the other direction", MISMATCH, "1", {
      path: [sibling, uncle],
      reveal: (s, c) => [s, join(c.subarray(0, 33), uncle, sibling)]
    }),
    spend("a branch shown as a leaf", MISMATCH, "1", {
      path: [sibling],
      reveal: (s, c) => [join(leafHash(s), sibling), c.subarray(0, 33)]
    }),
    spend("another leaf version", MISMATCH, "1", {
      reveal: (s, c) => [s, join(Uint8Array.of(c[0]! ^ 2), c.subarray(1))]
    }),
    spend("the commitment comes before the leaf version", MISMATCH, "1", {
      version: 0xc2,
      flags: withFlag("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"),
      reveal: (_, c) => [assemble("2"), c]
    }),
    spend("a leaf of another version holds, whatever it says", "holds", "RETURN", { version: 0xc2 }),
    spend("so does one of version 0", "holds", "VERIF 0x4e", { version: 0 }),
    spend("and one of version 0x50, behind a control block that begins with 51", "holds", "RETURN", {
      version: 0x50,
      secret: oddVersion50()
    }),
    spend("and one with 1,000 bytes in an item", "holds", "RETURN", {
      version: 0xfe,
      items: [[{ repeat: "aa", times: 1000 }]]
    }),
    spend("other versions are refused by policy", breaks("POL-014", "DISCOURAGE_UPGRADABLE_TAPROOT_VERSION"), "1", {
      version: 0xc2,
      flags: withFlag("DISCOURAGE_UPGRADABLE_TAPROOT_VERSION")
    }),
    spend("a success opcode", "holds", "RETURN RESERVED"),
    spend("a success opcode is refused by policy", breaks("POL-015", "DISCOURAGE_OP_SUCCESS"), "RETURN RESERVED", {
      flags: withFlag("DISCOURAGE_OP_SUCCESS")
    }),
    spend("an instruction cut off", breaks("TAP-008", "BAD_OPCODE"), "1 0x02 0x50"),
    spend("a script of 10,001 bytes and 10,000 opcodes", "holds", [LONG, "1"], {
      written: [{ repeat: "61", times: 10_000 }, "51"]
    }),
    spend("a script that leaves a false element", breaks("WIT-009", "EVAL_FALSE"), "0"),
    spend("a script that fails", breaks("OPC-106", "OP_RETURN"), "1 RETURN"),
    spend("two signatures cost 100, the witness brings 95", BUDGET, twoChecks, { items: ["aa"] }),
    spend("an annex of three bytes brings 99", BUDGET, twoChecks, { items: ["aa"], annex: "50bbbb" }),
    spend("an annex of four bytes brings 100", "holds", twoChecks, { items: ["aa"], annex: "50bbbbbb" }),
    spend("a path brings 32 more", "holds", twoChecks, { items: ["aa"], path: [sibling] }),
    spend("an item of five bytes brings 99", BUDGET, twoChecks, { items: ["aaaaaaaaaa"] }),
    spend("an item of six bytes brings 100", "holds", twoChecks, { items: ["aaaaaaaaaaaa"] })
  ]
}
