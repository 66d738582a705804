import type { Crypto, TransactionOutput } from "../../kernel/src/index.ts"
import { merkleRoot } from "../../kernel/src/block/merkle.ts"
import { encodeCompactSize } from "../../kernel/src/bytes/compact-size.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { blockSubsidy } from "../../kernel/src/connect/subsidy.ts"
import { transactionId, witnessTransactionId } from "../../kernel/src/model/identity.ts"
import { transactionOf } from "../../kernel/src/model/transaction-encode.ts"
import type { Transaction } from "../../kernel/src/model/transaction.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { framed, heightScript } from "../node/fan-out-chain.ts"
import { mine } from "../node/mined-headers.ts"

/** Transactions of the full block besides its coinbase: as many as its weight allows, of about the usual size. */
export const TRANSACTIONS = 6_600

const MATURITY = 100
const FINAL = 0xffffffff
const NOTHING = new Uint8Array(0)
const NONCE = new Uint8Array(32)
const COMMITMENT = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed)

/** Drops what stands for a signature and a key, so that the block takes no time to make or to judge. */
const WITNESS_SCRIPT = Uint8Array.of(0x6d, 0x51)

const spending = (
  txid: Uint8Array,
  vout: number,
  witness: ReadonlyArray<Uint8Array>,
  outputs: ReadonlyArray<TransactionOutput>
) =>
  transactionOf({
    version: 2,
    inputs: [{ prevout: { txid, vout }, script: NOTHING, sequence: FINAL, witness }],
    outputs,
    lockTime: 0
  })

const filled = (length: number, number: number): Uint8Array => {
  const bytes = new Uint8Array(length).fill(0x5a)
  new DataView(bytes.buffer).setUint32(2, number)
  return bytes
}

const keyHashScript = (number: number): Uint8Array => concatBytes([Uint8Array.of(0, 20), filled(20, number)])

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

/** What is made for the bench: a file of blocks, and the last of them, which is full. */
export interface FullBlockChain {
  readonly file: Uint8Array
  readonly block: Uint8Array
}

/** A regtest chain of old blocks that ends with one of thousands of transactions, each with a witness. */
export const fullBlockChain = (crypto: Crypto): FullBlockChain => {
  const { genesisBlock, magic } = networkCalled("regtest")!
  const script = concatBytes([Uint8Array.of(0, 32), crypto.sha256(WITNESS_SCRIPT)])
  const coins = Array.from({ length: TRANSACTIONS }, () => ({ value: 100_000n, script }))
  const blocks: Array<Uint8Array> = []
  let previous = crypto.sha256d(genesisBlock.subarray(0, 80))
  let time = new DataView(genesisBlock.buffer, genesisBlock.byteOffset).getUint32(68, true)
  const add = (others: ReadonlyArray<Transaction>): Transaction => {
    const commitment = others.length === 0 ? undefined : commitmentTo(others, crypto)
    const coinbase = coinbaseOf(blocks.length + 1, script, commitment)
    const transactions = [coinbase, ...others]
    const header = new Uint8Array(80)
    const view = new DataView(header.buffer)
    time += 600
    view.setInt32(0, 0x20000000, true)
    header.set(previous, 4)
    header.set(merkleRoot(concatBytes(transactions.map((tx) => transactionId(tx, crypto))), crypto).root, 36)
    view.setUint32(68, time, true)
    view.setUint32(72, 0x207fffff, true)
    previous = mine(header, crypto)
    blocks.push(
      concatBytes([header, encodeCompactSize(transactions.length), ...transactions.map(({ bytes }) => bytes)])
    )
    return coinbase
  }
  const first = add([])
  while (blocks.length < MATURITY) add([])
  const items = [filled(72, 1), filled(33, 2), WITNESS_SCRIPT]
  const fanOut = spending(transactionId(first, crypto), 0, [filled(72, 0), filled(33, 0), WITNESS_SCRIPT], coins)
  add([fanOut])
  const source = transactionId(fanOut, crypto)
  add(coins.map((_, i) =>
    spending(source, i, items, [
      { value: 60_000n, script: keyHashScript(2 * i) },
      { value: 39_000n, script: keyHashScript(2 * i + 1) }
    ])
  ))
  return { file: concatBytes(blocks.map((block) => framed(magic, block))), block: blocks.at(-1)! }
}
