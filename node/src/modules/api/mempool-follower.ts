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

/** How far a module has followed the mempool: the place behind the last change of one run of the node. */
type MempoolCursor = Extract<ModuleEventPayload, { readonly _tag: "MempoolStep" }>["cursor"]

/** The log that all modules follow; it is opened with the first of them. */
export interface FollowedMempool {
  /** No other run of a node has it. */
  readonly run: bigint
  readonly log: () => MempoolLog
}

/** The mempool of this run of the node. */
export const followedMempool = (chain: Pick<Chain["Service"], "subscribe">): FollowedMempool => {
  let log: MempoolLog | undefined
  return { run: randomBytes(8).readBigUInt64LE(), log: () => log ??= mempoolLog(chain) }
}

/** Sends one module every change of the mempool. */
export interface MempoolFollower {
  /** Begins behind a cursor, or with what the mempool has, in place of what it did before. */
  readonly follow: (from: MempoolCursor | undefined) => Effect.Effect<void, IpcError>
}

const changeBehind = (log: MempoolLog, place: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const stop = log.onceBehind(place, () => resume(Effect.void))
    return Effect.sync(stop)
  })

/** What the mempool has, in place of changes that the node no longer has. Answers the place behind it. */
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

/** Changes from a place on, for good. A module that does not read holds up this alone. */
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

/** A connection that is over is no news here; an engine that fails is. */
const reportEnd = (end: IpcError | ConnectionEnd): Effect.Effect<void> =>
  "text" in end
    ? Effect.logWarning("a module no longer follows the mempool").pipe(
      Effect.annotateLogs({ category: "modules", reason: end.text })
    )
    : Effect.void

/** Follows nothing yet. */
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
