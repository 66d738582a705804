import { feePerKilobyte } from "@lockstep/kernel/relay"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { addFinalizer } from "../../finalizers/finalizers.ts"
import { hexOf } from "../../hex.ts"
import type { FeeCalls } from "../api/fee-calls.ts"
import type { Handlers } from "../api/handler.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import { rawEstimate, smartEstimate } from "../fee-estimator/estimates.ts"
import {
  countConnectedBlock,
  type FeeEstimator,
  feeEstimator,
  transactionEntered,
  transactionLeft,
  untrackAll
} from "../fee-estimator/fee-estimator.ts"
import { highestTarget } from "../fee-estimator/horizon.ts"
import type { ChainHook } from "../state/chain-hook.ts"
import type { MempoolContext, MempoolListener } from "./contract.ts"
import { readFeeEstimates, WRITE_INTERVAL, writeFeeEstimates } from "./fee-estimates.ts"

/** Fee estimation as a part of the mempool. */
export interface FeeEstimation {
  readonly listener: MempoolListener
  /** Runs after the hook of the mempool, which announces the entries that leave for a block. */
  readonly hook: ChainHook
  readonly handlers: (context: MempoolContext) => Handlers<keyof FeeCalls>
  readonly background: Effect.Effect<void>
}

/** Reports whether the estimator has seen no transaction. Blocks then change only its height. */
const isBlank = ({ firstRecorded, tracked }: FeeEstimator, isNew: boolean): boolean =>
  isNew && firstRecorded === 0 && tracked.size === 0

/** The conditions that acceptance has already checked for a transaction that counts. */
const COUNTED = { bypassesLimits: false, isOfPackage: false, hasMempoolParent: false, isChainCurrent: true }

/** Feeds an estimator with the events of the mempool and the chain. */
const feeding = (
  engine: ChainEngine,
  estimator: FeeEstimator,
  isNew: boolean
): Pick<FeeEstimation, "hook" | "listener"> => {
  const startHeight = engine.tree.tip.height
  let confirmed: Array<string> = []
  /** Moves the best height to the tip, because the hook is not called in the initial block download. */
  const catchUp = (): void => {
    const { height } = engine.tree.tip
    if (height > startHeight && height > estimator.bestHeight && isBlank(estimator, isNew)) {
      estimator.bestHeight = height
    }
  }
  return {
    listener: {
      added: (_tx, { fee, height, txid, virtualSize }, _sequence, { isCounted }) => {
        if (!isCounted) return
        catchUp()
        transactionEntered(estimator, { txid: hexOf(txid), fee, virtualSize, height, ...COUNTED })
      },
      removed: ({ entry, reason }) => {
        const txid = hexOf(entry.txid)
        if (reason !== "block") transactionLeft(estimator, txid)
        else if (estimator.tracked.has(txid)) confirmed.push(txid)
      }
    },
    hook: {
      isIdle: () => engine.initialBlockDownload && isBlank(estimator, isNew),
      connected: ({ node }) => {
        const txids = confirmed
        confirmed = []
        countConnectedBlock(estimator, node.height, txids)
      }
    }
  }
}

const DISABLED = { _tag: "FeeEstimationDisabled" } as const

const disabled = (): FeeEstimation => ({
  listener: {},
  hook: {},
  handlers: () => ({
    highestFeeTarget: () => Effect.fail(DISABLED),
    estimateFee: () => Effect.fail(DISABLED),
    estimateRawFee: () => Effect.fail(DISABLED)
  }),
  background: Effect.void
})

const handlersOf = (estimator: FeeEstimator) => (context: MempoolContext): Handlers<keyof FeeCalls> => ({
  highestFeeTarget: () => Effect.sync(() => highestTarget(estimator.horizons.long)),
  estimateFee: ({ isConservative, target: wanted }) =>
    Effect.sync(() => {
      const { feerate, target } = smartEstimate(estimator, wanted, isConservative)
      if (feerate === undefined) return { feerate, target }
      const least = Number(feePerKilobyte(context.settings.policy.minRelayFee))
      return { feerate: Math.max(feerate, context.minimumFee(), least), target }
    }),
  estimateRawFee: ({ successShare, target }) =>
    Effect.sync(() => ({
      short: rawEstimate(estimator, "short", target, successShare),
      medium: rawEstimate(estimator, "medium", target, successShare),
      long: rawEstimate(estimator, "long", target, successShare)
    }))
})

/** Estimates fees, starting with the history of the last run. The file is written every hour and when the scope closes. */
export const feeEstimation = Effect.fnUntraced(function*(
  engine: ChainEngine
): Effect.fn.Return<FeeEstimation, never, Scope.Scope> {
  if (!engine.options.mempool.estimatesFees) return disabled()
  const saved = yield* readFeeEstimates(engine)
  const history = saved === "unreadable" ? undefined : saved
  const estimator = feeEstimator(history)
  const write = saved === "unreadable" ? Effect.void : writeFeeEstimates(engine, estimator)
  yield* addFinalizer(() =>
    Effect.suspend(() => {
      untrackAll(estimator)
      return write
    })
  )
  return {
    ...feeding(engine, estimator, history === undefined),
    handlers: handlersOf(estimator),
    background: engine.scheduler.every(WRITE_INTERVAL, write)
  }
})
