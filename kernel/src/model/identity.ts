import type { Crypto } from "../crypto/crypto.ts"
import type { Header } from "./header.ts"
import type { Bytes32 } from "../quantities.ts"
import { encodeWithoutWitness } from "./transaction-codec.ts"
import type { Transaction } from "./transaction.ts"

/**
 * The id of a transaction, in wire order: what it does, not how it is proved.
 *
 *     txid = SHA256d(form without witness)
 *
 * @spec SER-030 #043cb961
 */
export const transactionId = (tx: Transaction, crypto: Crypto): Bytes32 => crypto.sha256d(encodeWithoutWitness(tx))

/**
 * The id of a transaction with its witness, in wire order; equal to its id if it has no witness.
 *
 * @spec SER-031 #6c6a2a83
 */
export const witnessTransactionId = (tx: Transaction, crypto: Crypto): Bytes32 => crypto.sha256d(tx.bytes)

/**
 * The hash of a header, in wire order. As a number it is little-endian: that is what proof of work compares.
 *
 * @spec SER-032 #9238d4b0
 */
export const blockHash = (header: Header, crypto: Crypto): Bytes32 => crypto.sha256d(header.bytes)
