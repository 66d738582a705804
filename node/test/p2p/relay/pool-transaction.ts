import { concatBytes, encodeCompactSize } from "@lockstep/kernel/bytes"
import type { MempoolTransaction } from "../../../src/p2p/chain/p2p-chain.ts"
import { scanTransaction } from "../../../src/p2p/relay/scan-transaction.ts"
import { testCrypto } from "../../engine/test-engine.ts"

const uint32 = (value: number): Uint8Array => new Uint8Array(new Uint32Array([value]).buffer)

const NOWHERE = new Uint8Array(32).fill(7)

/** An output that a transaction spends. */
export interface Spent {
  readonly txid: Uint8Array
  readonly vout: number
}

/** Bytes of a transaction that spends these outputs, with one output and one witness item. */
export const spendingTransaction = (salt: number, spent: ReadonlyArray<Spent>, witness = 1): Uint8Array =>
  concatBytes([
    uint32(2),
    Uint8Array.of(0, 1),
    encodeCompactSize(spent.length),
    ...spent.flatMap(({ txid, vout }) => [txid, uint32(vout), Uint8Array.of(0), uint32(0xffff_fffe)]),
    Uint8Array.of(1, 0x10, 0x27, 0, 0, 0, 0, 0, 0, 1, 0x51),
    Uint8Array.of(1),
    encodeCompactSize(witness),
    new Uint8Array(witness).fill(9),
    ...spent.slice(1).map(() => Uint8Array.of(0)),
    uint32(salt)
  ])

/**
 * Bytes of a transaction with one input, one output and one witness item: well formed, and spending what does not
 * exist, or the output of a parent.
 */
export const unconfirmedTransaction = (salt: number, parent: Uint8Array = NOWHERE, witness = 1): Uint8Array =>
  spendingTransaction(salt, [{ txid: parent, vout: parent === NOWHERE ? salt : 0 }], witness)

/** The same without a witness, so that both of its ids are one. */
export const bareTransaction = (salt: number, parent: Uint8Array = NOWHERE): Uint8Array => {
  const bytes = unconfirmedTransaction(salt, parent, 1)
  return concatBytes([bytes.subarray(0, 4), bytes.subarray(6, -7), bytes.subarray(-4)])
}

/** A transaction as the pool keeps it. */
export const pooled = (bytes: Uint8Array, fee = 10_000n): MempoolTransaction => {
  const { txid, weight, wtxid } = scanTransaction(bytes, testCrypto)!
  return { txid, wtxid, bytes, fee, virtualSize: Math.ceil(weight / 4), sequence: 1 }
}
