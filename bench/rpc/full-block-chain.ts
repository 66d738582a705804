import type { Crypto, TransactionOutput } from "../../kernel/src/index.ts"
import { concatBytes } from "../../kernel/src/bytes/equal.ts"
import { transactionId } from "../../kernel/src/model/identity.ts"
import type { Transaction } from "../../kernel/src/model/transaction.ts"
import { networkCalled } from "../../protocol/src/index.ts"
import { chainBuilder, finalTransaction, inputOf, MATURITY } from "../chain-builder.ts"
import { framed } from "../node/fan-out-chain.ts"

/** Transactions of the full block besides its coinbase: as many as its weight allows, of about the usual size. */
export const TRANSACTIONS = 6_600

/** Drops what stands for a signature and a key, so that the block takes no time to make or to judge. */
const WITNESS_SCRIPT = Uint8Array.of(0x6d, 0x51)

const spending = (
  txid: Uint8Array,
  vout: number,
  witness: ReadonlyArray<Uint8Array>,
  outputs: ReadonlyArray<TransactionOutput>
): Transaction => finalTransaction([inputOf(txid, vout, witness)], outputs)

const filled = (length: number, number: number): Uint8Array => {
  const bytes = new Uint8Array(length).fill(0x5a)
  new DataView(bytes.buffer).setUint32(2, number)
  return bytes
}

const keyHashScript = (number: number): Uint8Array => concatBytes([Uint8Array.of(0, 20), filled(20, number)])

/** What is made for the bench: a file of blocks, and the last of them, which is full. */
export interface FullBlockChain {
  readonly file: Uint8Array
  readonly block: Uint8Array
}

/** A regtest chain of old blocks that ends with one of thousands of transactions, each with a witness. */
export const fullBlockChain = (crypto: Crypto): FullBlockChain => {
  const { magic } = networkCalled("regtest")!
  const script = concatBytes([Uint8Array.of(0, 32), crypto.sha256(WITNESS_SCRIPT)])
  const coins = Array.from({ length: TRANSACTIONS }, () => ({ value: 100_000n, script }))
  const builder = chainBuilder(crypto, script)
  const blocks: Array<Uint8Array> = []
  const add = (others: ReadonlyArray<Transaction>): Transaction => {
    const { bytes, coinbase } = builder.add(others)
    blocks.push(bytes)
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
