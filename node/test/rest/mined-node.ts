import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { decodeBlock, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BlockFacts } from "../../src/engine/api/chain-calls.ts"
import type { EngineCallName } from "../../src/engine/api/engine-calls.ts"
import { activeCalls } from "../../src/queries/active-calls.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { idOf, loose } from "../engine/mempool/loose-transactions.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { STATE } from "../rpc/fake-chain.ts"

export const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
export const text = (byte: number): string => Buffer.from(hash(byte)).toString("hex")
export const hexOf = ({ bytes }: Transaction): string => Buffer.from(bytes).toString("hex")
export const displayed = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")

export const pooled = loose({ inputs: [{ txid: hash(1), vout: 0 }], values: [1_000n] })
export const coinbase = loose({ inputs: [{ txid: hash(0), vout: 0xffff_ffff }], values: [5_000_000_000n] })
export const mined = loose({ inputs: [{ txid: hash(2), vout: 1 }], values: [2_000n] })

export const HEADER = new Uint8Array(80).fill(1)
export const BLOCK = Uint8Array.of(...HEADER, 2, ...coinbase.bytes, ...mined.bytes)
const PLACE = { file: 0, offset: 8, size: BLOCK.length }

export const FACTS: BlockFacts = {
  hash: hash(9),
  header: HEADER,
  height: 3,
  confirmations: 4,
  medianTime: 1,
  chainWork: 1n,
  transactions: 2,
  next: undefined,
  block: PLACE,
  undo: PLACE,
  pruned: false
}

const INDEX = { name: "txindex", synced: true, bestBlockHeight: 3, lacksBlocks: false }

/** Answers to calls of the chain, and other parts of the node. */
interface Over {
  readonly answers?: Partial<Record<EngineCallName, (input: never) => unknown>>
  readonly parts?: object
}

/** A node with a transaction in its mempool and one in block 3, which its index finds. */
export const nodeWith = ({ answers = {}, parts = {} }: Over = {}): MethodNode => {
  const known: Partial<Record<EngineCallName, (input: never) => unknown>> = {
    indexes: () => [INDEX],
    mempoolTransaction: ({ id }: { readonly id: Uint8Array }) =>
      Buffer.from(id).equals(idOf(pooled)) ? { bytes: pooled.bytes } : undefined,
    transactionPlace: ({ txid }: { readonly txid: Uint8Array }) =>
      Buffer.from(txid).equals(idOf(mined)) ? { block: hash(9) } : undefined,
    blockFacts: ({ hash: [byte] }: { readonly hash: Uint8Array }) => byte === 9 ? FACTS : undefined,
    ...answers
  }
  return {
    network: NETWORKS.regtest,
    crypto: testCrypto,
    activeCalls: activeCalls(() => 0),
    deprecated: new Set(),
    chain: {
      state: () => STATE,
      call: (name: EngineCallName, input: never) => Effect.sync(() => known[name]!(input))
    },
    blocks: {
      bytes: () => Effect.succeed(BLOCK),
      block: () => Effect.succeed(Result.getOrThrow(decodeBlock(BLOCK))),
      undo: () =>
        Effect.succeed({ spent: [[{ script: Uint8Array.of(0x51), value: 3_000n, height: 1, isCoinbase: false }]] })
    },
    ...parts
  } as unknown as MethodNode
}
