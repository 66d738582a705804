import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpointKey, endpointText } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { makeManual, type ManualOptions } from "../../../src/p2p/connections/manual.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import type { Peer } from "../../../src/p2p/peer/peer.ts"
import { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { scriptedPeer } from "../sync/chain-model.ts"
import { endpoint } from "../transport/transport-suite.ts"

const SECOND = 1_000
const [ONE, TWO] = [endpoint("20.1.1.1:8333"), endpoint("21.1.1.1:8333")]
const REFUSED = new DialError({ message: "ECONNREFUSED", isProxy: false })

const place = (
  more: {
    readonly found?: ReadonlyArray<Endpoint>
    readonly isFull?: true
    readonly isV1?: true
    /** Whether it takes no attempt. */
    readonly dialer?: { readonly isBusy: boolean }
  } = {}
) =>
  Effect.gen(function*() {
    const clock = { now: 1_000_000 }
    const peers = new Map<number, Peer>()
    const dialed: Array<Attempt> = []
    const settles: Array<(error?: DialError) => void> = []
    const underWay = new Map<string, Attempt>()
    const observed: Array<readonly [what: string, about: unknown]> = []
    let manual = 0
    const made = yield* makeManual({
      context: {
        environment: { now: () => unixMilliseconds(clock.now) },
        network: { port: 8333 },
        peers,
        notify: {
          event: (type: string, payload: unknown) => void observed.push([type, payload]),
          log: (level: string, message: string, about: unknown) => void observed.push([`${level}: ${message}`, about])
        },
        ...more.isV1 === true ? {} : { transportCrypto: {} }
      } as unknown as ManualOptions["context"],
      dialer: {
        underWay,
        dial: (attempt: Attempt, settle: (error?: DialError) => void) => {
          if (more.dialer?.isBusy === true) return false
          dialed.push(attempt)
          settles.push(settle)
          return true
        }
      } as unknown as ManualOptions["dialer"],
      census: {
        count: () => more.isFull === true ? 8 : manual,
        isConnectedTo: (at: Endpoint) =>
          [...peers.values()].some((peer) => endpointKey(peer.endpoint) === endpointKey(at))
      } as unknown as ManualOptions["census"],
      find: () => Effect.succeed(more.found ?? [ONE])
    })
    const settle = Effect.yieldNow.pipe(Effect.repeat({ times: 5 }))
    /** What is dialed in the next turn, so much later. */
    const after = (milliseconds: number) =>
      Effect.gen(function*() {
        const before = dialed.length
        clock.now += milliseconds
        made.tick(unixMilliseconds(clock.now))
        yield* settle
        return dialed.slice(before).map(({ endpoint: at, isV2 }) => `${endpointText(at)} ${isV2 ? "v2" : "v1"}`).join()
      })
    const connect = (at: Endpoint, isReady: boolean): Peer => {
      const peer = Object.assign(scriptedPeer(peers.size, "manual"), { endpoint: at, isReady })
      peers.set(peer.id, peer)
      return peer
    }
    return {
      ...made,
      after,
      clock,
      connect,
      dialed,
      end: (error?: DialError) => settles.at(-1)!(error),
      fill: (count: number) => {
        manual = count
      },
      peers,
      settle,
      observed,
      underWay
    }
  })

const warnings = (observed: ReadonlyArray<readonly [string, unknown]>) =>
  observed.filter(([what]) => what.startsWith("warn"))

describe("a node to stay connected to", () => {
  it.effect("is dialed at once, after a second when that fails, then each time twice as late, up to a minute", () =>
    Effect.gen(function*() {
      const { add, after, end, list, observed } = yield* place()
      assert.isUndefined(add("20.1.1.1"))
      assert.strictEqual(yield* after(0), "20.1.1.1:8333 v2")
      assert.strictEqual(yield* after(60 * SECOND), "", "an attempt is under way")
      for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
        end(REFUSED)
        assert.strictEqual(yield* after(wait * SECOND - 1), "", `${wait}`)
        assert.strictEqual(yield* after(1), "20.1.1.1:8333 v2", `${wait}`)
      }
      assert.lengthOf(warnings(observed), 1)
      assert.deepStrictEqual(warnings(observed)[0]![1], { peer: "20.1.1.1", reason: "ECONNREFUSED" })
      assert.strictEqual(list()[0]!.failure, "ECONNREFUSED")
    }))

  it.effect("is left alone while a peer is there or being dialed; a peer that was ready has it dialed a second later", () =>
    Effect.gen(function*() {
      const { add, after, connect, end, list, peers, observed, underWay } = yield* place()
      add("20.1.1.1")
      yield* after(0)
      end(REFUSED)
      yield* after(SECOND)
      end()
      const peer = connect(ONE, false)
      assert.strictEqual(yield* after(60 * SECOND), "")
      assert.deepStrictEqual([list()[0]!.peer, list()[0]!.failure], [peer, "ECONNREFUSED"])
      peer.isReady = true
      assert.isUndefined(list()[0]!.failure)
      yield* after(0)
      assert.deepStrictEqual(observed.at(-1), [
        "info: a node to stay connected to is reached again",
        { peer: "20.1.1.1" }
      ])
      peer.isGone = true
      assert.isUndefined(list()[0]!.peer)
      peers.clear()
      underWay.set(endpointKey(ONE), {} as Attempt)
      assert.strictEqual(yield* after(60 * SECOND), "")
      underWay.clear()
      assert.strictEqual(yield* after(0), "20.1.1.1:8333 v2")
      end(REFUSED)
      assert.strictEqual(yield* after(SECOND - 1), "")
      assert.strictEqual(yield* after(1), "20.1.1.1:8333 v2", "the wait began anew")
    }))

  it.effect("whose handshake fails is dialed with the other transport each time, where this node has both", () =>
    Effect.gen(function*() {
      for (const [isV1, expected] of [[false, "v2, v1, v2"], [true, "v1, v1, v1"]] as const) {
        const { add, after, connect, dialed, end, list, peers } = yield* place(isV1 ? { isV1 } : {})
        add("20.1.1.1")
        yield* after(0)
        for (let time = 0; time < 2; time++) {
          end()
          connect(ONE, false)
          yield* after(0)
          peers.clear()
          yield* after(0)
          assert.strictEqual(
            list()[0]!.failure,
            "it ended the connection before the handshake was complete"
          )
          yield* after(60 * SECOND)
        }
        assert.strictEqual(dialed.map(({ isV2 }) => isV2 ? "v2" : "v1").join(", "), expected)
      }
    }))

  it.effect("is not dialed while eight are connected, nor once it is removed", () =>
    Effect.gen(function*() {
      const { add, after, fill, remove } = yield* place()
      add("20.1.1.1")
      fill(8)
      assert.strictEqual(yield* after(0), "")
      fill(7)
      assert.isTrue(remove("20.1.1.1"))
      assert.strictEqual(yield* after(0), "")
      assert.isFalse(remove("20.1.1.1"))
    }))

  it.effect("of several addresses is looked for at each in turn, and the last failure counts", () =>
    Effect.gen(function*() {
      const { add, after, dialed, end, list, observed } = yield* place({ found: [ONE, TWO] })
      add("node.example")
      yield* after(0)
      end(REFUSED)
      assert.deepStrictEqual(dialed.map(({ endpoint: at, kind, writtenAs }) => [endpointText(at), kind, writtenAs]), [
        ["20.1.1.1:8333", "manual", "node.example"],
        ["21.1.1.1:8333", "manual", "node.example"]
      ])
      assert.deepStrictEqual([list()[0]!.failure, warnings(observed).length], [undefined, 0])
      end(new DialError({ message: "no answer", isProxy: false }))
      assert.deepStrictEqual([list()[0]!.failure, warnings(observed).length], ["no answer", 1])
      assert.strictEqual(yield* after(SECOND), "20.1.1.1:8333 v2")
    }))

  it.effect("that is a peer already is not dialed, and listed with that peer", () =>
    Effect.gen(function*() {
      const { add, after, connect, list, observed } = yield* place({ found: [ONE, TWO] })
      add("node.example")
      const peer = connect(TWO, true)
      assert.strictEqual(yield* after(0), "")
      assert.strictEqual(list()[0]!.peer, peer)
      yield* after(SECOND)
      assert.deepStrictEqual(observed, [], "it never was out of reach")
    }))

  it.effect("without an address is tried again later, and each time reported", () =>
    Effect.gen(function*() {
      const { add, after, observed } = yield* place({ found: [] })
      add("node.example")
      yield* after(0)
      const error = "no address was found for it"
      assert.deepStrictEqual(observed.map(([what]) => what.split(":")[0]), ["warn", "ConnectionAttempt", "debug"])
      assert.deepStrictEqual(observed[1]![1], { peer: "node.example", success: false, error })
      yield* after(SECOND - 1)
      assert.lengthOf(observed, 3)
      yield* after(1)
      assert.deepStrictEqual(observed.slice(3).map(([what]) => what.split(":")[0]), ["ConnectionAttempt", "debug"])
    }))

  it.effect("that the dialer has no room for is tried again a second later", () =>
    Effect.gen(function*() {
      const dialer = { isBusy: true }
      const { add, after, list, observed } = yield* place({ dialer })
      add("20.1.1.1")
      assert.strictEqual(yield* after(0), "")
      assert.deepStrictEqual([observed, list()[0]!.failure], [[], undefined])
      dialer.isBusy = false
      assert.strictEqual(yield* after(SECOND - 1), "")
      assert.strictEqual(yield* after(1), "20.1.1.1:8333 v2")
    }))

  it.effect("is on the list once, a thousand nodes at most, each with its own way to begin", () =>
    Effect.gen(function*() {
      const { add, after, list, once, settle, dialed } = yield* place()
      assert.isUndefined(add("20.1.1.1", false))
      assert.deepStrictEqual([add("20.1.1.1"), add("20.1.1.1:8333")], ["known", "known"])
      assert.strictEqual(yield* after(0), "20.1.1.1:8333 v1")
      for (let i = 1; i < 1_000; i++) assert.isUndefined(add(`node-${i}.example`))
      assert.strictEqual(add("one-more.example"), "full")
      assert.lengthOf(list(), 1_000)
      once("22.1.1.1", false)
      yield* settle
      assert.deepStrictEqual([dialed.at(-1)!.isV2, list().length], [false, 1_000])
    }))

  it.effect("in the own network or on this machine is dialed before others", () =>
    Effect.gen(function*() {
      const { add, after, observed } = yield* place({ found: [] })
      for (const text of ["20.1.1.1", "192.168.1.7", "21.1.1.1", "127.0.0.1"]) add(text)
      yield* after(0)
      const attempts = observed.filter(([what]) => what === "ConnectionAttempt")
      assert.deepStrictEqual(attempts.map(([, about]) => (about as { readonly peer: string }).peer), [
        "192.168.1.7",
        "127.0.0.1",
        "20.1.1.1",
        "21.1.1.1"
      ])
    }))
})
