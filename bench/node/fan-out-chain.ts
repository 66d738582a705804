import type { Crypto, TransactionOutput } from "../../kernel/src/index.ts"
import { merkleRoot } from "../../kernel/src/block/merkle.ts"
import { encodeCompactSize } from "../../kernel/src/bytes/compact-size.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { blockSubsidy } from "../../kernel/src/connect/subsidy.ts"
import { transactionId } from "../../kernel/src/model/identity.ts"
import { transactionOf } from "../../kernel/src/model/transaction-encode.ts"
import type { Transaction } from "../../kernel/src/model/transaction.ts"
import { encodeScriptNumber } from "../../kernel/src/interpreter/script-number.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { mine } from "./mined-headers.ts"

/** Coins that each block makes once there is a coinbase old enough to be spent. */
export const COINS_PER_BLOCK = 30_000

const MATURITY = 100
const OP_TRUE = Uint8Array.of(0x51)
const NOTHING = new Uint8Array(0)
const FINAL = 0xffffffff

/** The height of a block at the start of its coinbase. */
export const heightScript = (height: number): Uint8Array => {
  if (height <= 16) return Uint8Array.of(0x50 + height, 0)
  const number = encodeScriptNumber(height)
  return concatBytes([Uint8Array.of(number.length), number])
}

const spending = (
  txid: Uint8Array,
  vout: number,
  script: Uint8Array,
  outputs: ReadonlyArray<TransactionOutput>
): Transaction =>
  transactionOf({
    version: 1,
    inputs: [{ prevout: { txid, vout }, script, sequence: FINAL, witness: [] }],
    outputs,
    lockTime: 0
  })

/** Coins that differ, in the form that most have. */
const fanOut = (coinbase: Uint8Array, height: number): Transaction =>
  spending(
    coinbase,
    0,
    NOTHING,
    Array.from({ length: COINS_PER_BLOCK }, (_, i) => {
      const script = new Uint8Array(22)
      script[1] = 20
      new DataView(script.buffer).setUint32(2, height * COINS_PER_BLOCK + i)
      return { value: 1_000n, script }
    })
  )

/** A block as it stands in a block file. */
export const framed = (magic: Uint8Array, block: Uint8Array): Uint8Array => {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, block.length, true)
  return concatBytes([magic, length, block])
}

/** The block of a record of a block file. */
export const rawBlock = (record: Uint8Array): Uint8Array => record.subarray(8)

/** A regtest chain of old blocks, each with one transaction that makes many coins; in the form of block files. */
export const fanOutBlocks = function*(crypto: Crypto): Generator<Uint8Array, never> {
  const { genesisBlock, magic, parameters } = networkCalled("regtest")!
  let previous = crypto.sha256d(genesisBlock.subarray(0, 80))
  let time = new DataView(genesisBlock.buffer, genesisBlock.byteOffset).getUint32(68, true)
  const coinbases: Array<Uint8Array> = []
  for (let height = 1;; height++) {
    const reward = blockSubsidy(height, parameters.subsidyHalvingInterval)
    const coinbase = spending(new Uint8Array(32), FINAL, heightScript(height), [{ value: reward, script: OP_TRUE }])
    const old = coinbases[height - 1 - MATURITY]
    const transactions = old === undefined ? [coinbase] : [coinbase, fanOut(old, height)]
    const ids = transactions.map((tx) => transactionId(tx, crypto))
    coinbases.push(ids[0]!)
    const header = new Uint8Array(80)
    const view = new DataView(header.buffer)
    time += 600
    view.setInt32(0, 0x20000000, true)
    header.set(previous, 4)
    header.set(merkleRoot(concatBytes(ids), crypto).root, 36)
    view.setUint32(68, time, true)
    view.setUint32(72, 0x207fffff, true)
    previous = mine(header, crypto)
    yield framed(
      magic,
      concatBytes([header, encodeCompactSize(transactions.length), ...transactions.map(({ bytes }) => bytes)])
    )
  }
}
