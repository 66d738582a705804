import type { Crypto, TransactionInput, TransactionOutput } from "../kernel/src/index.ts"
import { merkleRoot } from "../kernel/src/block/merkle.ts"
import { encodeCompactSize } from "../kernel/src/bytes/compact-size.ts"
import { concatBytes } from "../kernel/src/bytes/equal.ts"
import { blockSubsidy } from "../kernel/src/connect/subsidy.ts"
import { transactionId, witnessTransactionId } from "../kernel/src/model/identity.ts"
import { transactionOf } from "../kernel/src/model/transaction-encode.ts"
import type { Transaction } from "../kernel/src/model/transaction.ts"
import { networkCalled } from "../protocol/src/index.ts"
import { heightScript } from "./node/fan-out-chain.ts"
import { mine } from "./node/mined-headers.ts"

/** Blocks on top of the one that makes a coinbase until it may be spent. */
export const MATURITY = 100
const FINAL = 0xffffffff
const NOTHING = new Uint8Array(0)
const NONCE = new Uint8Array(32)
const COMMITMENT = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed)
const SECONDS_APART = 600

/** An input that may stand with any lock time. */
export const inputOf = (
  txid: Uint8Array,
  vout: number,
  witness: ReadonlyArray<Uint8Array> = []
): TransactionInput => ({ prevout: { txid, vout }, script: NOTHING, sequence: FINAL, witness })

/** A transaction that is final. */
export const finalTransaction = (
  inputs: ReadonlyArray<TransactionInput>,
  outputs: ReadonlyArray<TransactionOutput>
): Transaction => transactionOf({ version: 2, inputs, outputs, lockTime: 0 })

const coinbaseOf = (height: number, script: Uint8Array, commitment: Uint8Array | undefined): Transaction => {
  const reward = { value: blockSubsidy(height, networkCalled("regtest")!.parameters.subsidyHalvingInterval), script }
  return transactionOf({
    version: 2,
    inputs: [{
      prevout: { txid: new Uint8Array(32), vout: FINAL },
      script: heightScript(height),
      sequence: FINAL,
      witness: commitment === undefined ? [] : [NONCE]
    }],
    outputs: commitment === undefined
      ? [reward]
      : [reward, { value: 0n, script: concatBytes([COMMITMENT, commitment]) }],
    lockTime: 0
  })
}

const commitmentTo = (transactions: ReadonlyArray<Transaction>, crypto: Crypto): Uint8Array => {
  const ids = concatBytes([new Uint8Array(32), ...transactions.map((tx) => witnessTransactionId(tx, crypto))])
  return crypto.sha256d(concatBytes([merkleRoot(ids, crypto).root, NONCE]))
}

/** Where blocks go on. */
export interface ChainEnd {
  readonly hash: Uint8Array
  readonly height: number
  readonly time: number
}

/** A block that was made, and the coinbase that it begins with. */
export interface BuiltBlock {
  readonly bytes: Uint8Array
  readonly coinbase: Transaction
}

/** Makes regtest blocks one on another, ten minutes apart. */
export interface ChainBuilder {
  readonly add: (transactions: ReadonlyArray<Transaction>) => BuiltBlock
  readonly end: () => ChainEnd
}

/** The genesis block of regtest. */
export const genesisEnd = (crypto: Crypto): ChainEnd => {
  const { genesisBlock } = networkCalled("regtest")!
  const time = new DataView(genesisBlock.buffer, genesisBlock.byteOffset).getUint32(68, true)
  return { hash: crypto.sha256d(genesisBlock.subarray(0, 80)), height: 0, time }
}

/** Goes on from `from`; all coinbases pay to `script`, and claim no fees. */
export const chainBuilder = (crypto: Crypto, script: Uint8Array, from = genesisEnd(crypto)): ChainBuilder => {
  let end = from
  return {
    end: () => end,
    add: (others) => {
      const height = end.height + 1
      const commitment = others.some(({ hasWitness }) => hasWitness) ? commitmentTo(others, crypto) : undefined
      const coinbase = coinbaseOf(height, script, commitment)
      const transactions = [coinbase, ...others]
      const header = new Uint8Array(80)
      const view = new DataView(header.buffer)
      const time = end.time + SECONDS_APART
      view.setInt32(0, 0x20000000, true)
      header.set(end.hash, 4)
      header.set(merkleRoot(concatBytes(transactions.map((tx) => transactionId(tx, crypto))), crypto).root, 36)
      view.setUint32(68, time, true)
      view.setUint32(72, 0x207fffff, true)
      end = { hash: mine(header, crypto), height, time }
      const count = encodeCompactSize(transactions.length)
      return { bytes: concatBytes([header, count, ...transactions.map(({ bytes }) => bytes)]), coinbase }
    }
  }
}
