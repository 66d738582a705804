import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { privateText } from "../../../src/runtime/private-happening.ts"
import { displayHash } from "../../../src/hex.ts"
import { privateDemand } from "../../../src/p2p/private-broadcast/private-demand.ts"
import { privateQueue, type PrivateTransaction } from "../../../src/p2p/private-broadcast/private-queue.ts"
import { makeReattempts } from "../../../src/p2p/private-broadcast/reattempt-stale.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { settle } from "../peer/scripted-peer.ts"

const START = 1_700_000_000_000
const MINUTE = 60_000

const transaction = (id: number): PrivateTransaction => ({
  transaction: { bytes: Uint8Array.of(id) } as Transaction,
  txid: new Uint8Array(32).fill(id),
  wtxid: new Uint8Array(32).fill(100 + id)
})

/** Sweeps over transactions of which the engine thinks as the test says; the random part of a wait is half of it. */
const place = Effect.fnUntraced(function*(judge: (id: number) => Effect.Effect<unknown>) {
  const clock = { now: START }
  const queue = privateQueue()
  const demand = privateDemand()
  const said: Array<string> = []
  const tested: Array<number> = []
  const sweep = yield* makeReattempts({
    context: {
      environment: {
        now: () => unixMilliseconds(clock.now),
        random: {
          below: (bound: number) => bound / 2,
          bytes: (count: number) => new Uint8Array(count),
          exponential: (mean: number) => mean
        }
      },
      chain: {
        testTransaction: (bytes: Uint8Array) =>
          Effect.suspend(() => {
            tested.push(bytes[0]!)
            return judge(bytes[0]!)
          })
      }
    } as never,
    queue,
    demand,
    say: (what) => void said.push(privateText(what))
  })
  const at = Effect.fnUntraced(function*(milliseconds: number) {
    clock.now = START + milliseconds
    sweep()
    yield* settle
    return tested.length
  })
  return { at, demand, queue, said, tested }
})

const ACCEPTED = Effect.succeed({ _tag: "Accepted" })
const names = ({ txid, wtxid }: PrivateTransaction): string => `txid=${displayHash(txid)} wtxid=${displayHash(wtxid)}`

describe("a sweep for stale private transactions", () => {
  it.effect("comes after two minutes and what chance adds, each time", () =>
    Effect.gen(function*() {
      const { at, queue } = yield* place(() => ACCEPTED)
      queue.add(transaction(1), unixMilliseconds(START - 60 * MINUTE))
      const counts: Array<number> = []
      for (const time of [2.5 * MINUTE - 1, 2.5 * MINUTE, 2.5 * MINUTE + 1, 5 * MINUTE - 1, 5 * MINUTE]) {
        counts.push(yield* at(time))
      }
      assert.deepStrictEqual(counts, [0, 1, 1, 1, 2])
    }))

  it.effect("has what is valid sent once more, drops what is not, and leaves what cannot be judged now", () =>
    Effect.gen(function*() {
      const outcomes: Readonly<Record<number, unknown>> = {
        1: { _tag: "Accepted" },
        2: { _tag: "Rejected", rejection: { reason: "bad-txns-inputs-missingorspent", debug: "input 0" } },
        3: { _tag: "InMempool" },
        4: undefined
      }
      const { at, demand, queue, said, tested } = yield* place((id) => Effect.succeed(outcomes[id]))
      for (const id of [1, 2, 3, 4]) queue.add(transaction(id), unixMilliseconds(START - 60 * MINUTE))
      queue.add(transaction(5), unixMilliseconds(START))
      yield* at(3 * MINUTE)
      assert.deepStrictEqual(tested, [1, 2, 3, 4])
      assert.deepStrictEqual(queue.all().map(({ txid }) => txid[0]), [1, 4, 5])
      assert.strictEqual(demand.wanted(), 1)
      assert.deepStrictEqual(said, [
        `Reattempting broadcast of stale ${names(transaction(1))}`,
        `Giving up broadcast attempts for ${names(transaction(2))}: bad-txns-inputs-missingorspent, input 0`,
        `Giving up broadcast attempts for ${names(transaction(3))}: txn-already-in-mempool`
      ])
    }))

  it.effect("runs once at a time, and the wait counts from its end", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const { at, queue } = yield* place(() => Effect.andThen(Deferred.await(gate), ACCEPTED))
      queue.add(transaction(1), unixMilliseconds(START - 60 * MINUTE))
      assert.strictEqual(yield* at(3 * MINUTE), 1)
      assert.strictEqual(yield* at(30 * MINUTE), 1)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(yield* at(32 * MINUTE), 1)
      assert.strictEqual(yield* at(32.5 * MINUTE), 2)
    }))
})
