import type { RuleId } from "@lockstep/kernel/rule-ids"
import { violation } from "@lockstep/kernel/verdict"
import { assert, describe, it } from "vitest"
import type { Offender } from "../src/rejection/debug-message.ts"
import { type RelayContext, relayRejectionOf } from "../src/rejection/relay-rejection.ts"

const OFFENDER: Offender = { txid: "aa", wtxid: "bb", spends: [{ txid: "cc", vout: 7 }, { txid: "dd", vout: 8 }] }

/** An id that is shown as the digits 02, 30 times 00, and `last` in front. */
const id = (first: number): Uint8Array => Uint8Array.of(2, ...new Uint8Array(30), first)
const shown = (first: number): string => `${first.toString(16).padStart(2, "0")}${"00".repeat(30)}02`
const tx = (first: number, version = 3) => ({ txid: id(first), wtxid: id(first + 1), version })
const named = (first: number): string => `tx ${shown(first)} (wtxid=${shown(first + 1)})`

const textOf = (rule: RuleId, detail: unknown, context?: RelayContext): string => {
  const { debug, reason } = relayRejectionOf(violation(rule, detail), OFFENDER, context)
  return debug === undefined ? reason : `${reason}, ${debug}`
}

const INPUTS = "bad-txns-nonstandard-inputs"

/** The reason with what is added to it, as Bitcoin Core answers. */
const TEXTS: ReadonlyArray<readonly [RuleId, unknown, string]> = [
  ["TXN-007", null, "bad-txns-inputs-duplicate"],
  ["TXN-008", { size: 1 }, "bad-cb-length"],
  ["TXI-001", null, "bad-txns-inputs-missingorspent"],
  [
    "TXI-002",
    { coinHeight: 1, spendHeight: 100 },
    "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99"
  ],
  [
    "TXI-004",
    { valueIn: 5_000_000_000n, valueOut: 10_000_000_000n },
    "bad-txns-in-belowout, value in (50.00) < value out (100.00)"
  ],
  ["POL-026", { fee: 11n, minimum: 13n }, "mempool min fee not met, 11 < 13"],
  ["POL-027", { fee: -1n, minimum: 12n }, "min relay fee not met, -1 < 12"],
  ["POL-029", null, "max feerate exceeded"],
  ["POL-030", { version: 4 }, "version"],
  ["POL-043", null, "coinbase"],
  ["POL-051", { count: 2501 }, `${INPUTS}, non-witness sigops exceed bip54 limit`],
  ["POL-052", { input: 1 }, `${INPUTS}, input 1 script unknown`],
  ["POL-053", { input: 2 }, `${INPUTS}, input 2 witness program is undefined`],
  [
    "POL-054",
    { input: 0, scriptError: "BAD_OPCODE" },
    `${INPUTS}, p2sh scriptsig malformed (input 0: Opcode missing or not understood)`
  ],
  ["POL-055", { input: 3 }, `${INPUTS}, input 3 P2SH redeemscript missing`],
  ["POL-056", { input: 0, count: 16 }, `${INPUTS}, p2sh redeemscript sigops exceed limit (input 0: 16 > 15)`],
  ["POL-062", null, "bad-witness-nonstandard"],
  ["POL-070", { cost: 16_004 }, "bad-txns-too-many-sigops, 16004"],
  ["POL-075", { lockTime: 9 }, "non-final"],
  ["POL-080", { fee: 1n, modifiedFee: 1n }, "dust, tx with dust output must be 0-fee"],
  [
    "POL-081",
    { parent: id(9), vout: 0 },
    "missing-ephemeral-spends, tx aa (wtxid=bb) did not spend parent's ephemeral dust"
  ],
  [
    "POL-089",
    { conflict: id(5) },
    `bad-txns-spends-conflicting-tx, aa spends conflicting transaction ${shown(5)}`
  ],
  [
    "POL-090",
    { tx: tx(1), parent: tx(7, 2) },
    `TRUC-violation, version=3 ${named(1)} cannot spend from non-version=3 ${named(7)}`
  ],
  [
    "POL-090",
    { tx: tx(1, 2), parent: tx(7) },
    `TRUC-violation, non-version=3 ${named(1)} cannot spend from version=3 ${named(7)}`
  ],
  [
    "POL-091",
    { tx: tx(1), size: 10_001 },
    `TRUC-violation, version=3 ${named(1)} is too big: 10001 > 10000 virtual bytes`
  ],
  ["POL-092", { tx: tx(1) }, `TRUC-violation, ${named(1)} would have too many ancestors`],
  [
    "POL-093",
    { tx: tx(1), size: 1_001 },
    `TRUC-violation, version=3 child ${named(1)} is too big: 1001 > 1000 virtual bytes`
  ],
  ["POL-094", { parent: tx(1) }, `TRUC-violation, ${named(1)} would exceed descendant count limit`],
  ["POL-100", { count: 65, weight: 1 }, "too-large-cluster"],
  [
    "POL-110",
    { clusters: 101 },
    "too many potential replacements, rejecting replacement aa; too many conflicting clusters (101 > 100)"
  ],
  [
    "POL-111",
    { fee: 1n, removedFees: 20_000n },
    "insufficient fee, rejecting replacement aa, less fees than conflicting txs; 0.00000001 < 0.0002"
  ],
  [
    "POL-112",
    { added: 0n, needed: 14n },
    "insufficient fee, rejecting replacement aa, not enough additional fees to relay; 0.00 < 0.00000014"
  ],
  [
    "POL-113",
    { comparison: "worse" },
    "replacement-failed, insufficient feerate: does not improve feerate diagram"
  ],
  ["POL-115", null, "package RBF failed: package must be 1-parent-1-child"],
  [
    "POL-117",
    { clusters: 101 },
    "package RBF failed: too many potential replacements, rejecting replacement aa; too many conflicting clusters (101 > 100)"
  ],
  [
    "POL-118",
    { fee: -5n, removedFees: 0n },
    "package RBF failed: insufficient anti-DoS fees, rejecting replacement aa, less fees than conflicting txs; -0.00000005 < 0.00"
  ],
  [
    "POL-118",
    { added: 1n, needed: 2n },
    "package RBF failed: insufficient anti-DoS fees, rejecting replacement aa, not enough additional fees to relay; 0.00000001 < 0.00000002"
  ],
  [
    "POL-120",
    { all: { fee: 100n, size: 300 }, parent: { fee: 1n, size: 1 } },
    "package RBF failed: package feerate is less than or equal to parent feerate, package feerate 0.00000333 BTC/kvB <= parent feerate is 0.00001000 BTC/kvB"
  ],
  ["POL-121", { comparison: "equal" }, "package RBF failed: insufficient feerate: does not improve feerate diagram"],
  ["POL-140", { count: 26 }, "package-too-many-transactions"]
]

describe("rejections by the mempool", () => {
  it.each(TEXTS)("%s of %o is refused as Bitcoin Core does", (rule, detail, text) => {
    assert.strictEqual(textOf(rule, detail), text)
  })

  it("a sibling that is evicted is part of three reasons", () => {
    const context = { evictsSibling: true }
    assert.match(
      textOf("POL-110", { clusters: 101 }, context),
      /^too many potential replacements \(including sibling eviction\), /
    )
    assert.match(
      textOf("POL-111", { fee: 1n, removedFees: 2n }, context),
      /^insufficient fee \(including sibling eviction\), /
    )
    assert.match(
      textOf("POL-112", { added: 1n, needed: 2n }, context),
      /^insufficient fee \(including sibling eviction\), /
    )
    assert.match(textOf("POL-113", { comparison: "equal" }, context), /^replacement-failed, /)
  })

  it("a script that fails names its input, whatever rule it breaks", () => {
    const failure = violation("OPC-104", { error: "UNBALANCED_CONDITIONAL", input: 1 })
    assert.deepStrictEqual(relayRejectionOf(failure, OFFENDER), {
      reason: "mempool-script-verify-flag-failed (Invalid OP_IF construction)",
      debug: "input 1 of aa (wtxid bb), spending dd:8",
      what: "not standard",
      rule: "OPC-104"
    })
    assert.strictEqual(relayRejectionOf(failure, OFFENDER, { isStripped: true }).what, "witness stripped")
  })
})
