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
  /** Sets the clock in seconds since 1970; 0 returns to the machine's clock. Regtest only. */
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
  /** Transactions of blocks, by whether their scripts were verified before the block arrived or with it. */
  readonly scripts: { readonly before: number; readonly withBlock: number }
}

export interface FigureCalls {
  /** Figures of the engine's thread and its coins cache. */
  readonly figures: Call<void, EngineFigures>
}

/** Every call to the engine, in groups. */
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

/** A call that every engine handles, without any extension. */
export type OwnCall =
  | keyof ChainCalls
  | keyof CoinCalls
  | keyof ControlCalls
  | keyof MiningCalls
  | keyof NetworkCalls
  | keyof CompactBlockCalls
