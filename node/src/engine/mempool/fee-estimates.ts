import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { join } from "node:path"
import type { ChainEngine } from "../state/chain-engine.ts"
import {
  decodeFeeEstimates,
  encodeFeeEstimates,
  isStale,
  MAX_AGE_HOURS,
  wholeHours
} from "../fee-estimator/fee-estimates-file.ts"
import { type FeeEstimator, type FeeHistory, historyOf } from "../fee-estimator/fee-estimator.ts"
import { notifyLog } from "../notify/notifications.ts"
import { readIfThere, setAside, writeSaved } from "./saved-file.ts"

const FILE = "fee_estimates.dat"

export const WRITE_INTERVAL = Duration.hours(1)

/** Path of the file of estimates in the data directory of the network, with Bitcoin Core's name and format. */
export const feeEstimatesPath = ({ options: { directory } }: ChainEngine): string => join(directory, FILE)

/**
 * Reads the history of the last run; `undefined` if the file is missing, too old or invalid. Its age is measured with
 * the machine's clock. A file that cannot be read must not be replaced.
 */
export const readFeeEstimates = Effect.fnUntraced(function*(
  engine: ChainEngine
): Effect.fn.Return<FeeHistory | "unreadable" | undefined> {
  const path = feeEstimatesPath(engine)
  const saved = yield* readIfThere(engine, path)
  if (saved === "unreadable") return saved
  if (saved === undefined) {
    notifyLog(engine, "debug", "There are no fee estimates of the last run", { path })
    return undefined
  }
  const now = yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)
  const age = now - saved.modified
  if (isStale(age) && !engine.options.mempool.acceptsStaleEstimates) {
    notifyLog(engine, "info", "The fee estimates of the last run are too old: fees are estimated anew", {
      path,
      hours: wholeHours(age),
      most_hours: MAX_AGE_HOURS
    })
    return undefined
  }
  const history = decodeFeeEstimates(saved.bytes)
  if (Result.isSuccess(history)) return history.success
  yield* setAside(engine, path, history.failure)
  return undefined
})

/** Writes the file; a failure is logged. */
export const writeFeeEstimates = (engine: ChainEngine, estimator: FeeEstimator): Effect.Effect<void> =>
  Effect.suspend(() => writeSaved(engine, feeEstimatesPath(engine), encodeFeeEstimates(historyOf(estimator)))).pipe(
    Effect.tap(() =>
      Effect.sync(() => notifyLog(engine, "debug", "The fee estimates are written", { file: feeEstimatesPath(engine) }))
    ),
    Effect.catch(({ message }) =>
      Effect.sync(() => notifyLog(engine, "warn", "The fee estimates could not be written", { cause: message }))
    )
  )
