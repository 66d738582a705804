import { type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../../src/engine/api/chain-calls.ts"
import { type EngineAnswers, hashOf, methodNode, shownHash } from "../method-node.ts"

const NO_PREVOUT = { txid: new Uint8Array(32), vout: 0xffffffff }

export const coinbase = transactionOf({
  version: 1,
  inputs: [{ prevout: NO_PREVOUT, script: Uint8Array.of(1, 2), sequence: 9, witness: [hashOf(0)] }],
  outputs: [{ value: 5_000_000_000n, script: Uint8Array.of(0x51) }, { value: 0n, script: Uint8Array.of(0x6a) }],
  lockTime: 3
})
export const payment = transactionOf({
  version: 2,
  inputs: [
    { prevout: { txid: hashOf(1), vout: 4 }, script: new Uint8Array(), sequence: 1, witness: [] },
    { prevout: { txid: hashOf(2), vout: 0 }, script: new Uint8Array(), sequence: 2, witness: [Uint8Array.of(7)] }
  ],
  outputs: [{ value: 900n, script: Uint8Array.of(0x52) }],
  lockTime: 0
})
export const plain = transactionOf({
  version: 2,
  inputs: [{ prevout: { txid: hashOf(3), vout: 1 }, script: Uint8Array.of(0x51), sequence: 5, witness: [] }],
  outputs: [{ value: 100n, script: Uint8Array.of(0x51) }, { value: 7n, script: Uint8Array.of(0x53) }],
  lockTime: 0
})
export const transactions = [coinbase, payment, plain]
const coin = (value: bigint, script: number, height = 10, isCoinbase = false) => ({
  value,
  script: Uint8Array.of(script),
  height,
  isCoinbase
})
const SPENT = [[coin(800n, 0x51, 11, true), coin(300n, 0x54)], [coin(150n, 0x53)]]

export const header = NETWORKS.regtest.genesisBlock.subarray(0, 80)
export const FACTS: BlockFacts = {
  hash: hashOf(9),
  header,
  height: 300,
  confirmations: 23,
  medianTime: 1_600_000_000,
  chainWork: 602n,
  transactions: 3,
  next: hashOf(10),
  block: { file: 0, offset: 8 } as never,
  undo: { file: 0, offset: 8 } as never,
  pruned: false
}
/** The bytes of the block. */
export const bytes = Buffer.concat([header, Uint8Array.of(3), ...transactions.map((tx) => tx.bytes)])
export const { crypto } = methodNode().node
/** The id of a transaction as it is shown. */
export const idOf = (tx: Transaction): string => Buffer.from(transactionId(tx, crypto)).reverse().toString("hex")

/** A node with one block, of which so much is known. */
export const withBlock = (facts: Partial<BlockFacts> = {}, answers: EngineAnswers = {}, more: object = {}) => {
  const read: Array<unknown> = []
  const blocks = {
    block: (...place: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        read.push(place)
        return { bytes, header, transactions }
      }),
    bytes: () => Effect.succeed(new Uint8Array(bytes)),
    undo: (...place: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        read.push(place)
        return { spent: SPENT, replaced: [] }
      })
  }
  const node = methodNode({
    answers: {
      blockFacts: ({ hash }) => hash[0] === 9 ? { ...FACTS, ...facts } : undefined,
      hashAt: ({ height }) => height === 300 ? hashOf(9) : undefined,
      indexes: () => [],
      mempoolTransaction: () => undefined,
      ...answers
    },
    more: { blocks, ...more }
  })
  return { ...node, read }
}

/** The hash of the block as it is shown. */
export const BLOCK = shownHash(9)
