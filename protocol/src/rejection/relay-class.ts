import type { RuleId } from "@lockstep/kernel/rule-ids"

/**
 * Consequence of a rejection by the mempool: what is remembered about the transaction, and whether it may be sent
 * again.
 *
 * - `consensus`: no block may hold it.
 * - `inputs not standard`, `not standard`, `mempool policy`, `package policy`: a rule of relay, whatever it pays.
 * - `missing inputs`: what it spends is unknown or spent.
 * - `premature spend`: a lock or a coinbase is not mature.
 * - `witness mutated`: with another witness the transaction may be fine.
 * - `witness stripped`: the same, because it was sent without a witness.
 * - `conflict`: the pool or the chain has it already.
 * - `reconsiderable`: it pays too little alone; in a package it may pay enough.
 */
export type RelayRejectionClass =
  | "consensus"
  | "inputs not standard"
  | "not standard"
  | "missing inputs"
  | "premature spend"
  | "witness mutated"
  | "witness stripped"
  | "conflict"
  | "mempool policy"
  | "package policy"
  | "reconsiderable"

/** The rules of each class of violations; all others are consensus rules. */
const RULES_OF: Readonly<Partial<Record<RelayRejectionClass, ReadonlyArray<RuleId>>>> = {
  "inputs not standard": ["POL-051", "POL-052", "POL-053", "POL-054", "POL-055", "POL-056"],
  "not standard": [
    "POL-030",
    "POL-031",
    "POL-032",
    "POL-033",
    "POL-035",
    "POL-036",
    "POL-037",
    "POL-040",
    "POL-042",
    "POL-070",
    "POL-080"
  ],
  "missing inputs": ["TXI-001"],
  "premature spend": ["POL-075", "POL-076", "TXI-002"],
  "witness mutated": ["POL-060", "POL-061", "POL-062", "POL-063", "POL-064"],
  conflict: ["POL-085", "POL-086", "POL-088"],
  "mempool policy": [
    "POL-029",
    "POL-081",
    "POL-087",
    "POL-090",
    "POL-091",
    "POL-092",
    "POL-093",
    "POL-094",
    "POL-100",
    "POL-110",
    "POL-130",
    "POL-133",
    "POL-134",
    "POL-135",
    "SPM-001",
    "SPM-002",
    "SPM-003",
    "SPM-004",
    "SPM-006",
    "SPM-007"
  ],
  "package policy": [
    "POL-115",
    "POL-116",
    "POL-117",
    "POL-118",
    "POL-120",
    "POL-121",
    "POL-140",
    "POL-141",
    "POL-142",
    "POL-143",
    "POL-144",
    "POL-146",
    "POL-147"
  ],
  reconsiderable: ["POL-026", "POL-027", "POL-111", "POL-112", "POL-113", "POL-131", "POL-132", "SPM-005"]
}

const CLASSES: ReadonlyMap<RuleId, RelayRejectionClass> = new Map(
  Object.entries(RULES_OF).flatMap(([what, rules]) => rules.map((rule) => [rule, what as RelayRejectionClass] as const))
)

/** Returns the class of a violation of `rule` by a transaction outside of a block. */
export const relayRejectionClass = (rule: RuleId): RelayRejectionClass => CLASSES.get(rule) ?? "consensus"
