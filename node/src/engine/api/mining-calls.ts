import type { Bits, Height, Sats, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** What the block on top of the tip must be like, were it made now. */
export interface NextBlock {
  readonly previous: Uint8Array
  readonly height: Height
  readonly version: number
  readonly bits: Bits
  readonly minTime: UnixSeconds
  readonly time: UnixSeconds
  readonly subsidy: Sats
  /** Whether witnesses, and a commitment to them, are part of it. */
  readonly hasWitness: boolean
  /** Deployments that can be signalled for, and those that signals have brought in force. */
  readonly available: ReadonlyArray<{ readonly name: string; readonly bit: number }>
  readonly active: ReadonlyArray<string>
  readonly signetChallenge: Uint8Array | undefined
}

/** A transaction of a template. Ids in wire order. */
export interface TemplateTransaction {
  readonly bytes: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  /** For each input that spends an output of this template, the position of that transaction, from 1 on. */
  readonly depends: ReadonlyArray<number>
  /** Satoshis, without what the operator added. */
  readonly fee: Sats
  readonly sigOpCost: number
  readonly weight: number
}

/** A block to work on. */
export interface BlockTemplate extends NextBlock {
  /** Without the coinbase, in the order of the block. */
  readonly transactions: ReadonlyArray<TemplateTransaction>
  readonly fees: bigint
  /** The script of the output that commits to the witnesses; none: they are not in force. */
  readonly witnessCommitment: Uint8Array | undefined
  /** The mempool's counter of changes when it was made. */
  readonly updates: number
}

/** The last block that was made to work on, by any call. */
export interface LastTemplate {
  /** With the reserved weight. */
  readonly weight: number
  /** Number of transactions without the coinbase. */
  readonly transactions: number
}

/** What there is to know before mining. */
export interface MiningFacts {
  readonly next: NextBlock
  readonly last: LastTemplate | undefined
  /** Number of transactions in the mempool. */
  readonly pooled: number
  /** Satoshi per 1,000 virtual bytes below which transactions are left out. */
  readonly blockMinFee: Sats
}

/** A transaction of the mempool. */
export interface PooledTransaction {
  readonly txid: Uint8Array
}

/** Calls of miners. */
export interface MiningCalls {
  /** The template on the tip. It is kept for some seconds after changes of the mempool. */
  readonly blockTemplate: Call<void, BlockTemplate, "TemplateRejected">
  readonly miningFacts: Call<void, MiningFacts>
  /**
   * A counter that grows with every change by which templates get old: as it is, and as it was when the last template
   * was made.
   */
  readonly mempoolUpdates: Call<void, { readonly now: number; readonly atTemplate: number }>
  /** Mines on regtest; to `script`. */
  readonly generate: Call<
    {
      readonly script: Uint8Array
      readonly blocks: number
      readonly maxTries: number
      /** Only these, raw or of the mempool (for one block alone; no fees are claimed). None: those of a template. */
      readonly transactions: ReadonlyArray<Uint8Array | PooledTransaction> | undefined
      /** Off: the block is made, not submitted, and answered as bytes. */
      readonly submit: boolean
    },
    { readonly hashes: ReadonlyArray<Uint8Array>; readonly block: Uint8Array | undefined },
    | "OnlyOnRegtest"
    | "Undecodable"
    | "NotInMempool"
    | "CandidateRejected"
    | "TemplateRejected"
    | "MinedBlockNotAccepted"
  >
}
