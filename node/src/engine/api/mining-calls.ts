import type { Bits, Height, Sats, UnixSeconds } from "@lockstep/kernel/quantities"
import type { Call } from "./call.ts"

/** Requirements on the block on top of the tip, if it were made now. */
export interface NextBlock {
  readonly previous: Uint8Array
  readonly height: Height
  readonly version: number
  readonly bits: Bits
  readonly minTime: UnixSeconds
  readonly time: UnixSeconds
  readonly subsidy: Sats
  /** True if witnesses, and a commitment to them, are part of the block. */
  readonly hasWitness: boolean
  /** Deployments that can be signalled for, and those that signals have activated. */
  readonly available: ReadonlyArray<{ readonly name: string; readonly bit: number }>
  readonly active: ReadonlyArray<string>
  readonly signetChallenge: Uint8Array | undefined
}

/** A transaction of a template. Ids in wire order. */
export interface TemplateTransaction {
  readonly bytes: Uint8Array
  readonly txid: Uint8Array
  readonly wtxid: Uint8Array
  /** For each input that spends an output of this template, the position of that transaction, starting at 1. */
  readonly depends: ReadonlyArray<number>
  /** Satoshis, without the fee delta of the operator. */
  readonly fee: Sats
  readonly sigOpCost: number
  readonly weight: number
}

/** A block template. */
export interface BlockTemplate extends NextBlock {
  /** Transactions in block order, without the coinbase. */
  readonly transactions: ReadonlyArray<TemplateTransaction>
  readonly fees: bigint
  /** The script of the output that commits to the witnesses; `undefined` if segwit is not active. */
  readonly witnessCommitment: Uint8Array | undefined
  /** The mempool's change counter when the template was made. */
  readonly updates: number
}

/** The last template that was made, by any call. */
export interface LastTemplate {
  /** Weight including the reserved weight. */
  readonly weight: number
  /** Number of transactions without the coinbase. */
  readonly transactions: number
}

/** Facts about mining at the tip. */
export interface MiningFacts {
  readonly next: NextBlock
  readonly last: LastTemplate | undefined
  /** Number of transactions in the mempool. */
  readonly pooled: number
  /** Minimum feerate of a template's transactions, in satoshis per 1,000 virtual bytes. */
  readonly blockMinFee: Sats
}

/** A transaction of the mempool. */
export interface PooledTransaction {
  readonly txid: Uint8Array
}

/** Calls of miners. */
export interface MiningCalls {
  /** Returns the template on the tip. It is reused for some seconds after changes of the mempool. */
  readonly blockTemplate: Call<void, BlockTemplate, "TemplateRejected">
  readonly miningFacts: Call<void, MiningFacts>
  /** Returns a counter of the changes that outdate templates: its current value, and its value at the last template. */
  readonly mempoolUpdates: Call<void, { readonly now: number; readonly atTemplate: number }>
  /** Mines blocks to `script` on regtest. */
  readonly generate: Call<
    {
      readonly script: Uint8Array
      readonly blocks: number
      readonly maxTries: number
      /**
       * The only transactions to include, raw or from the mempool (for one block alone; no fees are claimed).
       * `undefined` takes those of a template.
       */
      readonly transactions: ReadonlyArray<Uint8Array | PooledTransaction> | undefined
      /** If false, the block is returned as bytes and not submitted. */
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
