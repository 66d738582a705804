import type { RuleId } from "@lockstep/kernel/rule-ids"

/**
 * What a rejection says about the sender of the block, and about the header.
 *
 * - `invalid`: a block with this header is never valid.
 * - `invalid header`: the header alone shows it.
 * - `mutated`: the bytes are not what the header commits to; nothing follows for the header.
 * - `too far in the future`: waiting may change the verdict.
 * - `missing parent`, `invalid parent`, `known invalid`: found by looking at the header's place in the tree.
 */
export type RejectionClass =
  | "invalid"
  | "invalid header"
  | "mutated"
  | "too far in the future"
  | "missing parent"
  | "invalid parent"
  | "known invalid"

/** The rules whose breach is anything but an invalid block. */
const CLASSES: Partial<Record<RuleId, RejectionClass>> = {
  "WRK-004": "invalid header",
  "HDR-001": "invalid header",
  "HDR-002": "invalid header",
  "HDR-003": "invalid header",
  "HDR-004": "too far in the future",
  "HDR-005": "invalid header",
  "BLK-002": "mutated",
  "BLK-003": "mutated",
  "BLK-011": "mutated",
  "BLK-012": "mutated",
  "BLK-013": "mutated"
}

/** What a breach of `rule` by a block or its header says. */
export const rejectionClass = (rule: RuleId): RejectionClass => CLASSES[rule] ?? "invalid"
