import type { RuleId } from "@lockstep/kernel/rule-ids"
import { assert, describe, it } from "vitest"
import { rejectionClass } from "../src/rejection/rejection-class.ts"
import { type RelayRejectionClass, relayRejectionClass } from "../src/rejection/relay-class.ts"

/** Rules whose breach decides what is remembered of a transaction: those of consensus among them have no class in the spec. */
const RELAY: ReadonlyArray<readonly [RelayRejectionClass, ReadonlyArray<RuleId>]> = [
  ["missing inputs", ["TXI-001"]],
  ["premature spend", ["TXI-002", "POL-075", "POL-076"]],
  ["consensus", ["TXI-003", "TXI-004", "TXN-001", "TXN-007", "SCR-013", "BLK-002"]],
  ["inputs not standard", ["POL-051", "POL-056"]],
  ["not standard", ["POL-030", "POL-080"]],
  ["witness mutated", ["POL-060", "POL-064"]],
  ["conflict", ["POL-085", "POL-086", "POL-088"]],
  ["mempool policy", ["POL-029", "POL-094", "SPM-001", "SPM-007"]],
  ["package policy", ["POL-115", "POL-147"]],
  ["reconsiderable", ["POL-026", "POL-027", "POL-111", "POL-112", "POL-113", "POL-131", "POL-132", "SPM-005"]]
]

describe("what a refusal by the mempool means", () => {
  it.each(RELAY.flatMap(([what, rules]) => rules.map((rule) => [rule, what] as const)))(
    "of %s is: %s",
    (rule, what) => {
      assert.strictEqual(relayRejectionClass(rule), what)
    }
  )
})

describe("what a refusal of a block means", () => {
  it.each<readonly [RuleId, string]>([
    ["WRK-004", "invalid header"],
    ["HDR-001", "invalid header"],
    ["HDR-002", "invalid header"],
    ["HDR-003", "invalid header"],
    ["HDR-004", "too far in the future"],
    ["HDR-005", "invalid header"],
    ["BLK-002", "mutated"],
    ["BLK-003", "mutated"],
    ["BLK-011", "mutated"],
    ["BLK-012", "mutated"],
    ["BLK-013", "mutated"],
    ["BLK-004", "invalid"],
    ["TXI-001", "invalid"],
    ["SCR-013", "invalid"]
  ])("of %s is: %s", (rule, what) => {
    assert.strictEqual(rejectionClass(rule), what)
  })
})
