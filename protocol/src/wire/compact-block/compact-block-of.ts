import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, witnessTransactionId } from "@lockstep/kernel/model"
import type { CmpctBlockMessage } from "../messages/compact-blocks.ts"
import { shortId, shortIdKey } from "./short-id.ts"

/**
 * A block as a compact block: its coinbase, which no mempool holds, and the short ids of all others. `nonce` is a
 * random uint64. Precondition: a block with a coinbase and at most 65,535 transactions.
 */
export const compactBlockOf = ({ header, transactions }: Block, nonce: bigint, crypto: Crypto): CmpctBlockMessage => {
  const key = shortIdKey(header, nonce, crypto)
  return {
    command: "cmpctblock",
    header,
    nonce,
    shortIds: transactions.slice(1).map((tx) => shortId(key, witnessTransactionId(tx, crypto))),
    prefilled: [{ index: 0, transaction: transactions[0]! }]
  }
}
