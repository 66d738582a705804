import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chain } from "../../engine-client/chain.ts"
import { type Published, publishedOf } from "../../engine-client/published-notifications.ts"
import { addFinalizerTo } from "../../finalizers/finalizers.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import { moduleChannel, sendingOutlet, type SendEvent } from "./module-channel.ts"

/** Limits of the notifications queued for a module and of their bytes; further ones are dropped and counted. */
const ROOM = { events: 10_000, bytes: 64 * 1024 * 1024 }

type Notified = Extract<ModuleEventPayload, { readonly _tag: "Notified" }>

/** Converts a notification to the wire, with hashes in internal byte order. */
const notificationOf = (item: Published): Notified["notification"] => {
  switch (item._tag) {
    case "Tip":
      return { _tag: "UpdatedTip", block_hash: item.hash.toReversed() }
    case "Connected":
      return { _tag: "BlockConnected", block_hash: item.hash.toReversed() }
    case "Disconnected":
      return { _tag: "BlockDisconnected", block_hash: item.hash.toReversed() }
    case "Added": {
      const { bytes, sequence, txid } = item
      return { _tag: "TransactionAdded", tx_hash: txid.toReversed(), sequence, transaction: bytes }
    }
    case "Removed":
      return { _tag: "TransactionRemoved", tx_hash: item.txid.toReversed(), sequence: item.sequence }
  }
}

/** Returns the approximate memory of a notification in bytes. */
const weigh = (payload: ModuleEventPayload): number =>
  payload._tag === "Notified" && payload.notification._tag === "TransactionAdded"
    ? payload.notification.transaction.length
    : 0

/** Sends every step of the chain and the mempool from now on to one module. The engine never waits for it. */
export const notificationFollower = (
  chain: Pick<Chain["Service"], "state" | "subscribe">,
  scope: Scope.Scope,
  send: SendEvent<ConnectionEnd>
): Effect.Effect<void> => {
  let isFollowing = false
  return Effect.suspend(() => {
    if (isFollowing) return Effect.void
    isFollowing = true
    const channel = moduleChannel("notifications", { room: { ...ROOM, weigh } })
    const published = publishedOf()
    const take = (notification: Parameters<typeof published>[0]): void => {
      const item = published(notification)
      if (item !== undefined) channel.offer({ _tag: "Notified", notification: notificationOf(item) })
    }
    const state = chain.state()
    if (state !== undefined) take({ _tag: "State", state })
    const stop = chain.subscribe(take)
    // The end of the module's connection ends this as well; the session reports it.
    return Effect.andThen(
      addFinalizerTo(scope, Effect.sync(stop)),
      Effect.asVoid(Effect.forkIn(Effect.ignore(channel.deliver(sendingOutlet(send))), scope))
    )
  })
}
