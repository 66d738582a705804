import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type { FeeCalls } from "../api/fee-calls.ts"
import type { MempoolCall } from "../api/mempool-calls.ts"
import type { MempoolFileCalls } from "../api/mempool-file-calls.ts"
import type { MakeExtension } from "../chainstate/extension.ts"
import { makeAcceptance } from "./acceptance/acceptance.ts"
import { acceptanceHandlers } from "./acceptance-handlers.ts"
import { feeEstimation } from "./fee-estimation.ts"
import { figureCounts } from "./mempool-figures.ts"
import { makeMempoolContext } from "./make-context.ts"
import { mempoolHooks } from "./mempool-hooks.ts"
import { mempoolThreshold } from "./mempool-threshold.ts"
import { mempoolNotifications } from "./mempool-notifications.ts"
import { mempoolPersistence } from "./mempool-persistence.ts"
import { mempoolQueryHandlers } from "./query-handlers.ts"
import type { MempoolContext, MempoolListener } from "./contract.ts"
import { unconfirmedOutputs } from "./unconfirmed-outputs.ts"
import { relayHandlers } from "./relay-handlers.ts"

/** The minimum interval between two announcements of a decayed minimum feerate. */
const MINIMUM_FEE_PACE = Duration.seconds(10)

/** The mempool, as a part of the engine that follows the chain. */
export const pool: MakeExtension<MempoolCall | keyof FeeCalls | keyof MempoolFileCalls> = (
  engine,
  writer,
  background
) =>
  Effect.gen(function*() {
    const settings = engine.options.mempool
    const { fee, size } = settings.policy.minRelayFee
    const notifications = mempoolNotifications(engine, Number(fee) * 1_000 / size, () => context.state.totals().count)
    const counts = figureCounts()
    const fees = yield* feeEstimation(engine)
    const threshold = mempoolThreshold(engine, () => context.state.totals().usage, settings.maxBytes)
    const listeners: Array<MempoolListener> = [notifications, threshold, counts.listener, fees.listener]
    const context: MempoolContext = makeMempoolContext(engine, settings, listeners)
    if (engine.options.addressIndex || engine.options.valueIndex) {
      const unconfirmed = unconfirmedOutputs({ ...engine, state: context.state })
      listeners.push(unconfirmed.listener)
      engine.unconfirmed = unconfirmed
    }
    const acceptance = makeAcceptance(context, yield* FiberSet.makeRuntime())
    const persistence = yield* mempoolPersistence({ context, acceptance, writer }, background)
    const announceMinimumFee = Effect.forever(
      Effect.andThen(Effect.sleep(MINIMUM_FEE_PACE), Effect.sync(context.announceMinimumFee))
    )
    return {
      hooks: [mempoolHooks(context, acceptance), fees.hook],
      mempool: context.state,
      first: persistence.first,
      handlers: {
        ...acceptanceHandlers(engine, writer, acceptance, counts.count),
        ...relayHandlers(context),
        ...fees.handlers(context),
        ...persistence.handlers,
        ...mempoolQueryHandlers(context, writer, persistence.isLoaded),
        mempoolFigures: () => Effect.sync(() => counts.figures(context))
      },
      background: Effect.all([announceMinimumFee, fees.background], {
        concurrency: "unbounded",
        discard: true
      })
    }
  })
