import { childOf, type HeaderNode } from "@lockstep/kernel/chain"
import {
  type Block,
  blockHash,
  decodeBlock,
  type Transaction,
  transactionId,
  transactionOf
} from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Result from "effect/Result"
import { assembleBlock, setNonce } from "../../src/engine/mining/block-assembly.ts"
import { PLANTED_AT, type Planned, plantedRoot } from "./planted-blocks.ts"
import { testCrypto } from "./test-engine.ts"

export const TRUE = Uint8Array.of(0x51)
export const FALSE = Uint8Array.of(0x00)
export const SUBSIDY = 5_000_000_000n
/** Blocks after which the first of them can be spent. */
export const MATURE = 110

/** A block with the id of its coinbase. */
export type SpendableBlock = Planned & { readonly coinbase: Uint8Array }

/** A mined block whose coinbase pays to {@link TRUE}. */
export const blockOn = (parent: HeaderNode, transactions: ReadonlyArray<Transaction>): SpendableBlock => {
  const contents = { script: TRUE, transactions, fees: 0n, now: PLANTED_AT, version: 0x20000000 }
  let block = assembleBlock(parent, contents, REGTEST.parameters, testCrypto)
  const target = expandTarget(block.header.bits)!
  for (let nonce = 0; hashNumber(blockHash(block.header, testCrypto)) > target; nonce++) block = setNonce(block, nonce)
  const coinbase = transactionId(block.transactions[0]!, testCrypto)
  return {
    node: childOf(parent, block.header, blockHash(block.header, testCrypto)),
    bytes: block.bytes.slice(),
    coinbase
  }
}

export const decoded = ({ bytes }: Planned): Block => Result.getOrThrow(decodeBlock(bytes))

/** A transaction that spends one output without a signature. */
export const spend = (txid: Uint8Array, vout: number, outputs: Transaction["outputs"]): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{ prevout: { txid, vout }, script: new Uint8Array(), sequence: 0xffffffff, witness: [] }],
    outputs,
    lockTime: 0
  })

/** Empty blocks on the genesis block, so many. */
export const matureChain = (count = MATURE): ReadonlyArray<SpendableBlock> => {
  const chain: Array<SpendableBlock> = []
  for (let i = 0; i < count; i++) chain.push(blockOn(chain.at(-1)?.node ?? plantedRoot(), []))
  return chain
}
