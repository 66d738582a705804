import type { Bytes, Hash } from "../quantities.ts"

/**
 * What is computed once of a block and used by several rules: its hash, and the ids of its transactions one after
 * another.
 */
export interface BlockIdentity {
  readonly hash: Hash
  readonly transactionIds: Bytes
}
