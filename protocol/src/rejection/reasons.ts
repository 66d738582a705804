import type { RuleId } from "@lockstep/kernel/generated/rule-ids.ts"

/**
 * What a broken rule says about whoever sent the block, and about the header.
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

/** Reason and class of the rules that a block may break, scripts apart. A reason that ends in `(` is completed by the detail. */
export const REASONS: Partial<Record<RuleId, readonly [reason: string, what: RejectionClass]>> = {
  "WRK-004": ["high-hash", "invalid header"],
  "HDR-001": ["bad-diffbits", "invalid header"],
  "HDR-002": ["time-too-old", "invalid header"],
  "HDR-003": ["time-timewarp-attack", "invalid header"],
  "HDR-004": ["time-too-new", "too far in the future"],
  "HDR-005": ["bad-version(", "invalid header"],

  "BLK-002": ["bad-txnmrklroot", "mutated"],
  "BLK-003": ["bad-txns-duplicate", "mutated"],
  "BLK-004": ["bad-blk-length", "invalid"],
  "BLK-005": ["bad-cb-missing", "invalid"],
  "BLK-006": ["bad-cb-multiple", "invalid"],
  "BLK-008": ["bad-blk-sigops", "invalid"],
  "BLK-009": ["bad-txns-nonfinal", "invalid"],
  "BLK-010": ["bad-cb-height", "invalid"],
  "BLK-011": ["bad-witness-nonce-size", "mutated"],
  "BLK-012": ["bad-witness-merkle-match", "mutated"],
  "BLK-013": ["unexpected-witness", "mutated"],
  "BLK-014": ["bad-blk-weight", "invalid"],
  "BLK-017": ["bad-signet-blksig", "invalid"],

  "TXN-001": ["bad-txns-vin-empty", "invalid"],
  "TXN-002": ["bad-txns-vout-empty", "invalid"],
  "TXN-003": ["bad-txns-oversize", "invalid"],
  "TXN-004": ["bad-txns-vout-negative", "invalid"],
  "TXN-005": ["bad-txns-vout-toolarge", "invalid"],
  "TXN-006": ["bad-txns-txouttotal-toolarge", "invalid"],
  "TXN-007": ["bad-txns-inputs-duplicate", "invalid"],
  "TXN-008": ["bad-cb-length", "invalid"],
  "TXN-009": ["bad-txns-prevout-null", "invalid"],

  "TXI-001": ["bad-txns-inputs-missingorspent", "invalid"],
  "TXI-002": ["bad-txns-premature-spend-of-coinbase", "invalid"],
  "TXI-003": ["bad-txns-inputvalues-outofrange", "invalid"],
  "TXI-004": ["bad-txns-in-belowout", "invalid"],
  "TXI-005": ["bad-txns-fee-outofrange", "invalid"],
  "TXI-008": ["bad-txns-nonfinal", "invalid"],

  "UTX-005": ["bad-txns-BIP30", "invalid"],
  "UTX-006": ["bad-txns-accumulated-fee-outofrange", "invalid"],
  "UTX-007": ["bad-blk-sigops", "invalid"],
  "UTX-008": ["bad-cb-amount", "invalid"]
}
