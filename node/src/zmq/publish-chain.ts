import { transactionId } from "@lockstep/kernel/model"
import type { Crypto } from "@lockstep/kernel/crypto"
import { type Notifications, type Notifier, openNotifications } from "@lockstep/zmq"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import type { Chain } from "../engine-client/chain.ts"
import { acquireRelease } from "../finalizers/finalizers.ts"
import type { BlockReader } from "../storage/block-files/block-reader.ts"
import { publishedOf, type Published } from "../engine-client/published-notifications.ts"

/** Sources of the published messages. */
export interface PublishedChain {
  readonly chain: Pick<Chain["Service"], "call" | "subscribe">
  readonly blocks: BlockReader
  readonly crypto: Crypto
}

const wireOrder = (hash: Uint8Array): Uint8Array => hash.toReversed()

/** Returns the position of a block; fails if it is not stored. */
const placeOf = Effect.fnUntraced(function*({ chain }: PublishedChain, hash: Uint8Array) {
  const facts = yield* chain.call("blockFacts", { hash })
  return facts?.block ?? (yield* Effect.fail({ message: "the block is not here" }))
})

const publishTransactions = Effect.fnUntraced(
  function*(source: PublishedChain, notifications: Notifications, shown: Uint8Array) {
    if (!notifications.has("hashtx", "rawtx")) return
    const hash = wireOrder(shown)
    const { transactions } = yield* source.blocks.block(yield* placeOf(source, hash), hash)
    for (const transaction of transactions) {
      const txid = wireOrder(transactionId(transaction, source.crypto))
      notifications.transaction({ txid, bytes: transaction.bytes })
    }
  }
)

const publishTip = Effect.fnUntraced(
  function*(source: PublishedChain, notifications: Notifications, shown: Uint8Array) {
    if (!notifications.has("rawblock")) return notifications.tip(shown, undefined)
    const hash = wireOrder(shown)
    notifications.tip(shown, yield* source.blocks.bytes(yield* placeOf(source, hash), hash))
  }
)

const publish = Effect.fnUntraced(
  function*(source: PublishedChain, notifications: Notifications, item: Published) {
    switch (item._tag) {
      case "Connected":
      case "Disconnected":
        yield* publishTransactions(source, notifications, item.hash)
        return notifications.block(item._tag === "Connected" ? "C" : "D", item.hash)
      case "Tip":
        return yield* publishTip(source, notifications, item.hash)
      case "Added":
        notifications.transaction(item)
        return notifications.mempool("A", item.txid, item.sequence)
      case "Removed":
        return notifications.mempool("R", item.txid, item.sequence)
    }
  }
)

const annotated = Effect.annotateLogs({ category: "events" })

const warnUnpublished = (item: Published) => (cause: unknown): Effect.Effect<void> =>
  Effect.logWarning(`a notification through ZeroMQ is missing: ${item._tag}`, cause).pipe(annotated)

/**
 * Opens the sockets until the scope closes. If one cannot be opened, warns and returns `undefined`: the node continues
 * without.
 */
const opened = (notifiers: ReadonlyArray<Notifier>): Effect.Effect<Notifications | undefined, never, Scope.Scope> =>
  acquireRelease(
    Effect.tryPromise({ try: () => openNotifications(notifiers), catch: (error) => (error as Error).message }).pipe(
      Effect.catch((message) =>
        Effect.as(Effect.logWarning(`nothing is published through ZeroMQ: ${message}`).pipe(annotated), undefined)
      )
    ),
    (notifications) => notifications === undefined ? Effect.void : Effect.promise(notifications.close)
  )

/**
 * Publishes the events of the chain and the mempool through ZeroMQ until the scope closes. Returns the active
 * notifiers. The engine never waits: notifications are queued here until blocks are read, and each socket drops
 * messages that its subscriber does not read.
 */
export const publishChain = Effect.fnUntraced(function*(
  source: PublishedChain,
  wanted: ReadonlyArray<Notifier>
): Effect.fn.Return<ReadonlyArray<Notifier>, never, Scope.Scope> {
  if (wanted.length === 0) return []
  const items = yield* Queue.unbounded<Published>()
  const take = publishedOf()
  // Subscribed before the sockets are opened, so that no event is missed.
  const unsubscribe = yield* acquireRelease(
    Effect.sync(() =>
      source.chain.subscribe((notification) => {
        const item = take(notification)
        if (item !== undefined) Queue.offerUnsafe(items, item)
      })
    ),
    (stop) => Effect.sync(stop)
  )
  const notifications = yield* opened(wanted)
  if (notifications === undefined) {
    unsubscribe()
    return []
  }
  const one = Effect.flatMap(
    Queue.take(items),
    (item) => Effect.catchCause(publish(source, notifications, item), warnUnpublished(item))
  )
  yield* Effect.forkScoped(Effect.forever(one))
  return notifications.notifiers
})
