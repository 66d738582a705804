import type { IpcError, ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import type { Chain } from "../../engine-client/chain.ts"
import type { SendEvent } from "../events/module-channel.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import { engineCall, type ModuleApi } from "./api-call.ts"
import { hashesIn, type MempoolLog, mempoolLog } from "./mempool-log.ts"

/** A module's position in the mempool log: the position after the last change it received, in one run of the node. */
type MempoolCursor = Extract<ModuleEventPayload, { readonly _tag: "MempoolStep" }>["cursor"]

/** The mempool log that all modules share; it is opened when the first module follows it. */
export interface FollowedMempool {
  /** Random id of this run of the node. */
  readonly run: bigint
  readonly log: () => MempoolLog
}

/** The mempool of this run of the node. */
export const followedMempool = (chain: Pick<Chain["Service"], "subscribe">): FollowedMempool => {
  let log: MempoolLog | undefined
  return { run: randomBytes(8).readBigUInt64LE(), log: () => log ??= mempoolLog(chain) }
}

/** Sends every change of the mempool to one module. */
export interface MempoolFollower {
  /** Follows from a cursor, or from a snapshot of the mempool. Replaces whatever was followed before. */
  readonly follow: (from: MempoolCursor | undefined) => Effect.Effect<void, IpcError>
}

const changeBehind = (log: MempoolLog, place: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const stop = log.onceBehind(place, () => resume(Effect.void))
    return Effect.sync(stop)
  })

/**
 * Sends the contents of the mempool instead of changes that are no longer kept. Returns the log position after them.
 */
const snapshot = Effect.fnUntraced(function*(
  api: ModuleApi,
  { log, run }: FollowedMempool,
  send: SendEvent<ConnectionEnd>
) {
  const { sequence, txids } = yield* engineCall(api, "mempoolIds", undefined)
  const place = log().placeOf(sequence)
  yield* send({ _tag: "MempoolSnapshot", cursor: { run, position: place }, tx_hashes: hashesIn(txids) })
  return place
})

/** Sends the changes from a position on, without end. A module that does not read delays only itself. */
const followed = Effect.fnUntraced(function*(
  api: ModuleApi,
  mempool: FollowedMempool,
  from: number | undefined,
  send: SendEvent<ConnectionEnd>
) {
  const log = mempool.log()
  for (let place = from;;) {
    const change = place === undefined ? undefined : log.at(place)
    if (place !== undefined && change !== undefined) {
      place++
      const cursor = { run: mempool.run, position: place }
      const { left, sequence, txid } = change
      yield* send({ _tag: "MempoolStep", cursor, tx_hash: txid, sequence, removed: left })
    } else if (place === log.end()) yield* changeBehind(log, place)
    else place = yield* snapshot(api, mempool, send)
  }
})

/** Logs the failure of the engine. The end of the connection is reported elsewhere. */
const reportEnd = (end: IpcError | ConnectionEnd): Effect.Effect<void> =>
  "text" in end
    ? Effect.logWarning("a module no longer follows the mempool").pipe(
      Effect.annotateLogs({ category: "modules", reason: end.text })
    )
    : Effect.void

/** A follower that follows nothing yet. */
export const mempoolFollower = (
  api: ModuleApi,
  mempool: FollowedMempool,
  scope: Scope.Scope,
  send: SendEvent<ConnectionEnd>
): MempoolFollower => {
  let following: Fiber.Fiber<unknown, unknown> | undefined
  return {
    follow: Effect.fnUntraced(function*(from) {
      const log = mempool.log()
      const isKnown = from !== undefined && from.run === mempool.run && from.position <= log.end()
      if (following !== undefined) yield* Fiber.interrupt(following)
      const start = isKnown ? from.position : undefined
      following = yield* Effect.forkIn(Effect.catch(followed(api, mempool, start, send), reportEnd), scope)
    })
  }
}
