import type { Crypto } from "@lockstep/kernel/crypto"
import { type Block, type Header, type Transaction, witnessTransactionId } from "@lockstep/kernel/model"
import type { CmpctBlockMessage } from "../messages/compact-blocks.ts"
import { shortId, shortIdKey } from "./short-id.ts"

/** A block with its coinbase but without its other transactions. */
export interface BlockOutline {
  readonly header: Header
  readonly coinbase: Transaction
  /** Witness ids of all transactions, consecutive. The coinbase's is ignored. */
  readonly witnessIds: Uint8Array
}

/**
 * Builds a compact block: the coinbase, which no mempool holds, and the short ids of all other transactions. `nonce` is
 * a random uint64. Precondition: a block with a coinbase and at most 65,535 transactions.
 */
export const compactBlockOfOutline = (
  { coinbase, header, witnessIds }: BlockOutline,
  nonce: bigint,
  crypto: Crypto
): CmpctBlockMessage => {
  const key = shortIdKey(header, nonce, crypto)
  const shortIds: Array<number> = []
  for (let at = 32; at < witnessIds.length; at += 32) shortIds.push(shortId(key, witnessIds.subarray(at, at + 32)))
  return { command: "cmpctblock", header, nonce, shortIds, prefilled: [{ index: 0, transaction: coinbase }] }
}

/** Builds a compact block from a block whose ids are not known. */
export const compactBlockOf = ({ header, transactions }: Block, nonce: bigint, crypto: Crypto): CmpctBlockMessage => {
  const witnessIds = new Uint8Array(transactions.length * 32)
  for (let i = 1; i < transactions.length; i++) {
    witnessIds.set(witnessTransactionId(transactions[i]!, crypto), i * 32)
  }
  return compactBlockOfOutline({ header, coinbase: transactions[0]!, witnessIds }, nonce, crypto)
}
