import type { RuleId } from "@lockstep/kernel/rule-ids"

/**
 * Consequence of a rejection for the sender of the block, and for the header.
 *
 * - `invalid`: a block with this header is never valid.
 * - `invalid header`: the header alone shows it.
 * - `mutated`: the bytes are not what the header commits to; nothing follows for the header.
 * - `too far in the future`: waiting may change the verdict.
 * - `missing parent`, `invalid parent`, `known invalid`: found by looking at the header's position in the tree.
 */
export type RejectionClass =
  | "invalid"
  | "invalid header"
  | "mutated"
  | "too far in the future"
  | "missing parent"
  | "invalid parent"
  | "known invalid"

/** The rules whose violation means anything but an invalid block. */
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

/** Returns the class of a violation of `rule` by a block or its header. */
export const rejectionClass = (rule: RuleId): RejectionClass => CLASSES[rule] ?? "invalid"
