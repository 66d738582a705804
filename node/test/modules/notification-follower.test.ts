import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import { notificationFollower } from "../../src/modules/events/notification-follower.ts"

const MEBIBYTE = 1_048_576
const HASH = new Uint8Array(32).map((_, i) => i)

const added = (length: number): EngineNotification =>
  ({ _tag: "TransactionAdded", sequence: 5, transaction: { txid: HASH, bytes: new Uint8Array(length) } }) as never
const DISCONNECTED = { _tag: "Disconnected", hash: HASH } as never as EngineNotification

/** What a module was sent: the kind of a notification, or how many it missed. */
const brief = (payload: ModuleEventPayload): string =>
  payload._tag === "Notified"
    ? payload.notification._tag
    : payload._tag === "EventsDropped"
    ? `${payload.dropped} missed`
    : payload._tag

/** A module that follows, and reads once the gate is open. */
const following = (state?: object) =>
  Effect.gen(function*() {
    const scope = yield* Scope.make()
    const gate = yield* Deferred.make<void>()
    const sent: Array<ModuleEventPayload> = []
    const takers = new Set<(notification: EngineNotification) => void>()
    let subscriptions = 0
    const chain = {
      state: () => state,
      subscribe: (take: (notification: EngineNotification) => void) => {
        subscriptions++
        takers.add(take)
        return () => void takers.delete(take)
      }
    } as unknown as Parameters<typeof notificationFollower>[0]
    const follow = notificationFollower(
      chain,
      scope,
      (payload) => Effect.andThen(Deferred.await(gate), Effect.sync(() => void sent.push(payload)))
    )
    yield* follow
    return {
      follow,
      sent,
      takers,
      subscriptions: () => subscriptions,
      publish: (...all: ReadonlyArray<EngineNotification>) => {
        for (const each of all) for (const take of takers) take(each)
      },
      /** Lets the module read, as much as is sent in so many turns. */
      opened: (turns = 500) =>
        Effect.andThen(
          Deferred.succeed(gate, undefined),
          Effect.forEach(Array.from({ length: turns }), () => Effect.yieldNow, { discard: true })
        ),
      close: Scope.close(scope, Exit.void)
    }
  })

describe("a module that follows the chain and the mempool", () => {
  it.effect("is sent hashes in internal byte order, and the block that a new chain begins with", () =>
    Effect.gen(function*() {
      const { close, opened, publish, sent } = yield* following({
        height: 0,
        hash: HASH,
        chainWork: 2n,
        initialBlockDownload: true
      })
      publish(
        added(3),
        { _tag: "TransactionRemoved", reason: "conflict", sequence: 6, txid: HASH } as never,
        DISCONNECTED
      )
      yield* opened()
      assert.deepStrictEqual(sent.map((payload) => payload._tag === "Notified" ? payload.notification : payload), [
        { _tag: "BlockConnected", block_hash: HASH },
        { _tag: "TransactionAdded", tx_hash: HASH, sequence: 5, transaction: new Uint8Array(3) },
        { _tag: "TransactionRemoved", tx_hash: HASH, sequence: 6 },
        { _tag: "BlockDisconnected", block_hash: HASH }
      ] as never)
      yield* close
    }))

  it.effect("subscribes once, and no longer than its connection lasts", () =>
    Effect.gen(function*() {
      const { close, follow, subscriptions, takers } = yield* following()
      yield* follow
      assert.deepStrictEqual([subscriptions(), takers.size], [1, 1])
      yield* close
      assert.strictEqual(takers.size, 0)
    }))

  it.effect("has 64 MiB of transactions wait for it, and learns how much it missed beyond", () =>
    Effect.gen(function*() {
      const full = yield* following()
      full.publish(...Array.from({ length: 64 }, () => added(MEBIBYTE)), added(1), DISCONNECTED)
      yield* full.opened()
      assert.deepStrictEqual(full.sent.map(brief), [...Array<string>(64).fill("TransactionAdded"), "2 missed"])
      yield* full.close

      // Blocks weigh nothing.
      const nearly = yield* following()
      nearly.publish(added(64 * MEBIBYTE - 1), DISCONNECTED, DISCONNECTED, added(1), DISCONNECTED)
      yield* nearly.opened()
      const kinds = ["TransactionAdded", "BlockDisconnected", "BlockDisconnected", "TransactionAdded", "1 missed"]
      assert.deepStrictEqual(nearly.sent.map(brief), kinds)
      yield* nearly.close
    }))

  it.effect("has 10,000 notifications wait for it", () =>
    Effect.gen(function*() {
      const { close, opened, publish, sent } = yield* following()
      publish(...Array.from({ length: 10_003 }, () => DISCONNECTED))
      yield* opened(40_000)
      assert.deepStrictEqual(sent.map(brief), [...Array<string>(10_000).fill("BlockDisconnected"), "3 missed"])
      yield* close
    }))
})
