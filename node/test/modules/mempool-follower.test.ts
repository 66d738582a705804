import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import type { EngineNotification } from "../../src/engine/api/engine-notification.ts"
import type { ModuleApi } from "../../src/modules/api/api-call.ts"
import { type FollowedMempool, followedMempool, mempoolFollower } from "../../src/modules/api/mempool-follower.ts"
import { KEPT_CHANGES, mempoolLog } from "../../src/modules/api/mempool-log.ts"

const hash = (id: number): Uint8Array => new Uint8Array(32).fill(id)

/** A mempool without an engine: what happens to it is notified at once, as the engine's news are. */
const mempool = () => {
  const listeners = new Set<(news: EngineNotification) => void>()
  const ids = new Set<number>()
  let sequence = 1
  /** Runs between the answer about the ids and its arrival. */
  let meanwhile = (): void => undefined
  const notify = (news: object): void => listeners.forEach((listener) => listener(news as EngineNotification))
  const enter = (id: number): void => {
    ids.add(id)
    notify({ _tag: "TransactionAdded", transaction: { txid: hash(id) }, isNew: true, sequence: sequence++ })
  }
  const leave = (id: number, reason: string): void => {
    ids.delete(id)
    // The block that has it takes a number, and not the removal.
    notify({ _tag: "TransactionRemoved", txid: hash(id), reason, sequence: reason === "block" ? sequence : sequence++ })
  }
  const chain = {
    subscribe: (listener: (news: EngineNotification) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    call: () =>
      Effect.sync(() => {
        const answer = { txids: new Uint8Array([...ids].flatMap((id) => [...hash(id)])), sequence }
        const act = meanwhile
        meanwhile = () => undefined
        act()
        return answer
      })
  }
  return {
    api: { chain } as unknown as ModuleApi,
    ids,
    enter,
    leave,
    inBetween: (act: () => void) => {
      meanwhile = act
    }
  }
}

type Cursor = Extract<ModuleEventPayload, { readonly _tag: "MempoolStep" }>["cursor"]

/** A module that keeps what the mempool has, and its cursor, over its own restarts. */
const watcher = () => {
  const known = new Set<number>()
  const seen: Array<string> = []
  let cursor: Cursor | undefined
  const take = (event: ModuleEventPayload): void => {
    if (event._tag === "MempoolSnapshot") {
      known.clear()
      for (const each of event.tx_hashes) known.add(each[0]!)
      seen.push(`has ${[...known].join(" ")}`)
      cursor = event.cursor
    }
    if (event._tag === "MempoolStep") {
      if (event.removed === undefined) known.add(event.tx_hash[0]!)
      else known.delete(event.tx_hash[0]!)
      seen.push(`${event.removed === undefined ? "+" : "-"}${event.tx_hash[0]} ${event.removed ?? event.sequence}`)
      cursor = event.cursor
    }
  }
  return { known, seen, take, cursor: () => cursor }
}

type Watcher = ReturnType<typeof watcher>

/** Connects the module until the effect is over; `settled` waits until it has what is there. */
const connected = (api: ModuleApi, followed: FollowedMempool, module: Watcher, work: Effect.Effect<void>) =>
  Effect.scoped(Effect.gen(function*() {
    const { follow } = mempoolFollower(
      api,
      followed,
      yield* Scope.Scope,
      (event) => Effect.sync(() => module.take(event))
    )
    yield* follow(module.cursor())
    yield* settled
    yield* work
    yield* settled
  }))

const settled = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

describe("a module that follows the mempool", () => {
  it.effect("receives what is there, then every change, and after its restart those that it missed", () =>
    Effect.gen(function*() {
      const { api, enter, leave } = mempool()
      const followed = followedMempool(api.chain)
      const module = watcher()
      enter(1)
      enter(2)
      yield* connected(api, followed, module, Effect.sync(() => (enter(3), leave(1, "replaced"))))
      assert.deepStrictEqual(module.seen.splice(0), ["has 1 2", "+3 3", "-1 replaced"])
      enter(4)
      leave(2, "block")
      leave(4, "expiry")
      enter(5)
      yield* connected(api, followed, module, Effect.sync(() => enter(6)))
      assert.deepStrictEqual(module.seen, ["+4 5", "-2 block", "-4 expiry", "+5 7", "+6 8"])
      // Nothing happened: nothing is sent.
      yield* connected(api, followed, module, Effect.void)
      assert.lengthOf(module.seen, 5)
    }))

  it.effect("begins anew with what is there where the node has restarted, or no longer has the changes", () =>
    Effect.gen(function*() {
      const { api, enter, ids, leave } = mempool()
      const followed = followedMempool(api.chain)
      const module = watcher()
      yield* connected(api, followed, module, Effect.sync(() => enter(1)))
      const restarted = followedMempool(api.chain)
      assert.notStrictEqual(restarted.run, followed.run)
      enter(2)
      module.seen.length = 0
      yield* connected(api, restarted, module, Effect.sync(() => enter(3)))
      assert.deepStrictEqual(module.seen.splice(0), ["has 1 2", "+3 3"])
      for (let i = 0; i <= KEPT_CHANGES / 2; i++) {
        leave(7, "expiry")
        enter(7)
      }
      yield* connected(api, restarted, module, Effect.void)
      assert.deepStrictEqual(module.seen.splice(0), ["has 1 2 3 7"])
      // A cursor that the node never gave is of another run as well.
      const { log, run } = restarted
      const lying = { ...module, cursor: () => ({ run, position: log().end() + 1 }) }
      yield* connected(api, restarted, lying, Effect.void)
      assert.deepStrictEqual(module.seen, ["has 1 2 3 7"])
      assert.deepStrictEqual(module.known, ids)
    }))

  it.effect("loses nothing that happens while the snapshot is on its way", () =>
    Effect.gen(function*() {
      const { api, enter, ids, inBetween, leave } = mempool()
      const followed = followedMempool(api.chain)
      followed.log()
      const module = watcher()
      enter(1)
      enter(2)
      leave(1, "block")
      inBetween(() => {
        leave(2, "block")
        enter(2)
        enter(3)
        leave(2, "conflict")
      })
      yield* connected(api, followed, module, Effect.void)
      assert.strictEqual(module.seen[0], "has 2")
      assert.deepStrictEqual(module.known, ids)
      assert.strictEqual(module.cursor()?.position, followed.log().end())
    }))

  it.effect("holds up nothing while it does not read, and receives what is there once it does", () =>
    Effect.scoped(Effect.gen(function*() {
      const { api, enter, leave } = mempool()
      const followed = { run: 7n, log: mempoolLogOf(api, 10) }
      const gate = yield* Queue.unbounded<void>()
      const module = watcher()
      const { follow } = mempoolFollower(
        api,
        followed,
        yield* Scope.Scope,
        (event) => Effect.andThen(Queue.take(gate), Effect.sync(() => module.take(event)))
      )
      yield* follow(undefined)
      for (let i = 0; i < 100; i++) {
        enter(i)
        leave(i, "expiry")
      }
      enter(200)
      yield* Queue.offerAll(gate, Array.from({ length: 10 }, () => undefined))
      yield* settled
      assert.deepStrictEqual(module.seen.at(-1), "has 200")
      assert.deepStrictEqual([...module.known], [200])
    })))
})

/** A log that keeps few changes. */
const mempoolLogOf = ({ chain }: ModuleApi, kept: number) => {
  const log = mempoolLog(chain, kept)
  return () => log
}

describe("the log of the mempool's changes", () => {
  const opened = (kept?: number) => {
    let listener: (news: EngineNotification) => void = () => assert.fail("the log does not listen")
    const log = mempoolLog({
      subscribe: (each) => {
        listener = each
        return () => undefined
      }
    }, kept)
    const notify = (news: object): void => listener(news as EngineNotification)
    const enter = (id: number): void =>
      notify({ _tag: "TransactionAdded", transaction: { txid: hash(id) }, isNew: true, sequence: id })
    return { enter, log, notify }
  }

  it("has what enters and leaves, and nothing of other news", () => {
    const { enter, log, notify } = opened()
    let called = 0
    log.onceBehind(0, () => called++)
    notify({ _tag: "BlockConnected" })
    notify({ _tag: "TipChanged" })
    assert.deepStrictEqual([log.end(), log.at(0), called], [0, undefined, 0])
    enter(1)
    notify({ _tag: "TransactionRemoved", txid: hash(1), reason: "expiry", sequence: 2 })
    assert.deepStrictEqual([log.end(), called], [2, 1])
    assert.deepStrictEqual(log.at(0), { txid: hash(1), sequence: 1, left: undefined })
    assert.deepStrictEqual(log.at(1), { txid: hash(1), sequence: 2, left: "expiry" })
    assert.deepStrictEqual([log.at(2), log.at(-1)], [undefined, undefined])
  })

  it("keeps the last changes alone, and finds their places by sequence numbers", () => {
    const { enter, log } = opened(3)
    for (let id = 1; id <= 5; id++) enter(id)
    assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map((place) => log.at(place)?.sequence), [
      undefined,
      undefined,
      3,
      4,
      5,
      undefined
    ])
    assert.deepStrictEqual([1, 3, 4, 5, 6].map(log.placeOf), [2, 2, 3, 4, 5])
    assert.strictEqual(KEPT_CHANGES, 20_000)
  })

  it("calls once behind a place, at once where that is past, and not where the wait was stopped", () => {
    const { enter, log } = opened()
    const calls: Array<string> = []
    enter(1)
    log.onceBehind(0, () => calls.push("past"))
    assert.deepStrictEqual(calls, ["past"])
    log.onceBehind(1, () => calls.push("next"))
    log.onceBehind(1, () => calls.push("stopped"))()
    log.onceBehind(1, () => {
      calls.push("again")
      log.onceBehind(2, () => calls.push("later"))
    })
    enter(2)
    assert.deepStrictEqual(calls, ["past", "next", "again"])
    enter(3)
    assert.deepStrictEqual(calls, ["past", "next", "again", "later"])
  })
})
