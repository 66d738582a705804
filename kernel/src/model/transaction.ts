import { isZero } from "../bytes/equal.ts"
import type { Bytes, Hash, Sats } from "../quantities.ts"

/** A transaction output by position: 32-byte id in wire order, index as uint32 (0xffffffff in a coinbase). */
export interface OutPoint {
  readonly txid: Hash
  readonly vout: number
}

/** `script` is the scriptSig. `sequence` is uint32. `witness` is empty if the input has no witness. */
export interface TransactionInput {
  readonly prevout: OutPoint
  readonly script: Bytes
  readonly sequence: number
  readonly witness: ReadonlyArray<Bytes>
}

/**
 * `value` in satoshis, an int64 as serialised: it may be negative until TXN-004 has been checked. `script` is the
 * scriptPubKey.
 */
export interface TransactionOutput {
  readonly value: Sats
  readonly script: Bytes
}

/**
 * A decoded transaction. All byte fields are views into the buffer it was decoded from; `bytes` is its whole
 * serialization there, and `body` the part that both forms share (input vector and output vector), so ids and signature
 * hashes slice. `version` and `lockTime` are uint32.
 */
export interface Transaction {
  readonly bytes: Bytes
  readonly body: Bytes
  readonly hasWitness: boolean
  readonly version: number
  readonly inputs: ReadonlyArray<TransactionInput>
  readonly outputs: ReadonlyArray<TransactionOutput>
  readonly lockTime: number
}

/** The outputs a transaction spends, one per input, in input order. */
export type SpentOutputs = ReadonlyArray<TransactionOutput>

/** Reports whether an outpoint is the null outpoint, which names no output: zero id, index 0xffffffff. @internal */
export const isNullOutPoint = (prevout: OutPoint): boolean => prevout.vout === 0xffffffff && isZero(prevout.txid)

/** Reports whether a transaction is a coinbase, whose only input has no prevout. */
export const isCoinbase = (tx: Transaction): boolean => tx.inputs.length === 1 && isNullOutPoint(tx.inputs[0]!.prevout)
