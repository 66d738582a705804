import type { UnixSeconds } from "@lockstep/kernel/quantities"
import type { Milliseconds } from "../../quantities.ts"
import type { ThreadFigures } from "../../figures/thread-figures.ts"
import type { Call } from "./call.ts"
import type { CompactBlockCalls } from "./compact-block-calls.ts"
import type { FeeCalls } from "./fee-calls.ts"
import type { MempoolFileCalls } from "./mempool-file-calls.ts"
import type { MempoolCalls } from "./mempool-calls.ts"
import type { MiningCalls } from "./mining-calls.ts"
import type { NetworkCalls } from "./network-calls.ts"
import type { ChainCalls } from "./chain-calls.ts"
import type { CoinCalls } from "./coin-calls.ts"
import type { IndexCalls } from "./index-calls.ts"
import type { MaintenanceCalls } from "./maintenance-calls.ts"

/** Calls about the engine itself. */
export interface ControlCalls {
  /** Seconds since 1970; 0: the machine's own clock again. Regtest only. */
  readonly setMockTime: Call<{ readonly time: UnixSeconds }, void, "OnlyOnRegtest" | "NegativeMockTime">
  /** Moves the periodic tasks of the engine forward. Regtest only. */
  readonly moveScheduler: Call<{ readonly milliseconds: Milliseconds }, void, "OnlyOnRegtest">
  /** Writes everything to disk. */
  readonly flush: Call<void, void>
  /** Writes everything to disk and closes it. No call after this one. */
  readonly close: Call<void, void>
}

export interface EngineFigures {
  readonly thread: ThreadFigures
  readonly coins: { readonly hits: number; readonly misses: number; readonly bytes: number; readonly changes: number }
  /** Transactions of blocks by when their scripts were verified: before the block came, or with it. */
  readonly scripts: { readonly before: number; readonly withBlock: number }
}

export interface FigureCalls {
  /** How the engine's thread and its coin cache are doing. */
  readonly figures: Call<void, EngineFigures>
}

/** Every call to the engine, in the groups that answer them. */
export interface EngineCalls
  extends
    ChainCalls,
    CoinCalls,
    ControlCalls,
    MiningCalls,
    NetworkCalls,
    CompactBlockCalls,
    MempoolCalls,
    FeeCalls,
    MempoolFileCalls,
    IndexCalls,
    MaintenanceCalls,
    FigureCalls
{}

export type EngineCallName = keyof EngineCalls

/** A call that every engine answers, without any extension. */
export type OwnCall =
  | keyof ChainCalls
  | keyof CoinCalls
  | keyof ControlCalls
  | keyof MiningCalls
  | keyof NetworkCalls
  | keyof CompactBlockCalls
