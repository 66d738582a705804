import * as Effect from "effect/Effect"
import type { IndexName, QueryError } from "../../engine/api/engine-error.ts"
import type { Handlers } from "../../engine/api/handler.ts"
import type { OutputCalls } from "../../engine/api/output-calls.ts"
import type { ChainEngine } from "../../engine/state/chain-engine.ts"
import type { Writer } from "../../engine/chainstate/writer.ts"
import type { StorageError } from "../../storage/storage-error.ts"
import { type Follower, followChain } from "../follow-chain.ts"
import { addressIndex } from "./address-index.ts"
import { addressHandlers, valueHandlers } from "./output-handlers.ts"
import { valueIndex } from "./value-index.ts"

/** The enabled indexes of outputs, and the calls that they handle. */
export interface OutputIndexes {
  readonly followers: ReadonlyArray<Follower>
  readonly handlers: Handlers<keyof OutputCalls>
}

const notEnabled = (index: IndexName) => (): Effect.Effect<never, QueryError<"IndexNotEnabled">> =>
  Effect.fail({ _tag: "IndexNotEnabled", index })

const NO_ADDRESSES = {
  scriptSummary: notEnabled("addressindex"),
  scriptTransactions: notEnabled("addressindex"),
  scriptOutputs: notEnabled("addressindex")
}

const NO_VALUES = { outputsOfValue: notEnabled("valueindex") }

const addressesOf = Effect.fnUntraced(function*(engine: ChainEngine, writer: Writer) {
  const index = addressIndex(engine)
  const follower = yield* followChain(engine, writer, index)
  return { follower, handlers: addressHandlers(engine, writer, index, follower) }
})

const valuesOf = Effect.fnUntraced(function*(engine: ChainEngine, writer: Writer) {
  const index = valueIndex()
  const follower = yield* followChain(engine, writer, index)
  return { follower, handlers: valueHandlers(engine, writer, index, follower) }
})

/** Opens the indexes that the options enable. */
export const outputIndexes = Effect.fnUntraced(function*(
  engine: ChainEngine,
  writer: Writer
): Effect.fn.Return<OutputIndexes, StorageError> {
  const { options } = engine
  const addresses = options.addressIndex ? yield* addressesOf(engine, writer) : undefined
  const values = options.valueIndex ? yield* valuesOf(engine, writer) : undefined
  return {
    followers: [addresses, values].flatMap((each) => each?.follower ?? []),
    handlers: { ...addresses?.handlers ?? NO_ADDRESSES, ...values?.handlers ?? NO_VALUES }
  }
})
