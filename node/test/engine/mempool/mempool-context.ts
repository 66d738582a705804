import {
  DEFAULT_RELAY_POLICY,
  feePerKilobyte,
  type RelayPolicy,
  type ReplacementMode,
  replacementTerms
} from "@lockstep/kernel/relay"
import * as Effect from "effect/Effect"
import type { TurnTakingAcceptance } from "../../../src/engine/mempool/acceptance/acceptance.ts"
import { makeAcceptance } from "../../../src/engine/mempool/acceptance/acceptance.ts"
import type { MempoolContext } from "../../../src/engine/mempool/contract.ts"
import { DEFAULT_MEMPOOL_SETTINGS } from "../../../src/engine/options/settings.ts"
import type { Removed } from "../../../src/engine/txmempool/contract.ts"
import { txMempool } from "../../../src/engine/txmempool/txmempool.ts"
import { hexOf } from "../../../src/hex.ts"
import { unixSeconds } from "../../../src/quantities.ts"
import type { RunningEngine } from "../../../src/engine/host/engine.ts"

export interface ContextChanges {
  readonly policy?: Partial<RelayPolicy>
  readonly mode?: ReplacementMode
  readonly maxBytes?: number
}

/** A context of its own around a mempool, which writes down what is announced. */
export interface TestContext {
  readonly context: MempoolContext
  /** `added` or the reason for which it left, and the id in wire order; `!`: it is counted. */
  readonly announced: Array<string>
}

export const testContext = ({ chain }: RunningEngine, changes: ContextChanges = {}): TestContext => {
  const { maxBytes = 300_000_000, mode = "standard" } = changes
  const policy = { ...DEFAULT_RELAY_POLICY, ...changes.policy }
  const { cluster, incrementalRelayFee } = policy
  const now = () => unixSeconds(chain.clock.now())
  const state = txMempool({
    limits: { transactions: cluster.count, size: cluster.weight },
    maxBytes,
    incrementalFee: Number(feePerKilobyte(incrementalRelayFee)),
    seed: 7,
    now: now()
  })
  const expirySeconds = 336 * 3_600
  const announced: Array<string> = []
  const announceRemoved = (removed: ReadonlyArray<Removed>): void => {
    for (const { entry, reason } of removed) announced.push(`${reason} ${hexOf(entry.txid)}`)
  }
  const context: MempoolContext = {
    engine: chain,
    settings: {
      ...DEFAULT_MEMPOOL_SETTINGS,
      policy,
      mode,
      terms: replacementTerms(mode),
      maxBytes,
      expirySeconds,
      persists: false
    },
    state,
    announceAdded: (tx, { isCounted }) => {
      state.takeSequence()
      announced.push(`added${isCounted ? "!" : ""} ${hexOf(state.txidOf(tx))}`)
    },
    announceRemoved,
    makeRoom: () => {
      announceRemoved(state.expire(unixSeconds(now() - expirySeconds)))
      announceRemoved(state.trim().removed)
    },
    announceBlock: () => {},
    minimumFee: () => state.minimumFee(now()),
    foreseenMinimumFee: () => state.foreseenMinimumFee(now()),
    announceMinimumFee: () => {}
  }
  return { context, announced }
}

/** Acceptance to such a mempool. */
export const testAcceptance = (
  engine: RunningEngine,
  changes?: ContextChanges
): TestContext & { readonly acceptance: TurnTakingAcceptance } => {
  const made = testContext(engine, changes)
  return { ...made, acceptance: makeAcceptance(made.context, Effect.runFork) }
}
