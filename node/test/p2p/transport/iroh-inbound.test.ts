import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { acceptIroh, type IrohListener } from "../../../src/p2p/transport/iroh/iroh-inbound.ts"
import { PREAMBLE } from "../../../src/p2p/transport/quic/quic-preamble.ts"
import { settle } from "../peer/scripted-peer.ts"
import { endpoint } from "./transport-suite.ts"

const IDENTITY = "cd".repeat(32)
const LOCAL = endpoint("127.0.0.1:9")

const never = <A>(): Promise<A> => new Promise<A>(() => undefined)

interface Knock {
  readonly from?: { readonly kind: string; readonly addr?: string }
  /** What the peer says first; none: nothing at all. */
  readonly says?: Uint8Array
  readonly handshake?: () => Promise<unknown>
}

/** A connection of another node that comes in, and what became of it. */
const knock = ({ from = { kind: "ip", addr: "8.8.8.8:7" }, handshake, says }: Knock, done: Array<string>) => {
  let left = says
  const native = {
    remoteId: () => ({ toString: () => IDENTITY }),
    acceptBi: () =>
      says === undefined ? never() : Promise.resolve({
        recv: {
          read: (most: number) => {
            if (left === undefined || left.length === 0) return never()
            const bytes = [...left.subarray(0, most)]
            left = left.subarray(most)
            return Promise.resolve(bytes)
          }
        },
        send: { writeAll: () => Promise.resolve() }
      }),
    closed: () => never<string>(),
    close: () => void done.push("closed"),
    setReceiveWindow: (bytes: bigint) => void done.push(`window ${bytes}`),
    setMaxConcurrentBiStreams: (count: bigint) => void done.push(`streams ${count}`),
    setMaxConcurrentUniStreams: (count: bigint) => void done.push(`one-way streams ${count}`)
  }
  return {
    accept: () => Promise.resolve({ connect: () => handshake?.() ?? Promise.resolve(native) }),
    refuse: () => {
      done.push("refused")
      return Promise.resolve()
    },
    remoteAddr: () => Promise.resolve(from)
  }
}

/** What becomes of the connections, one after another; the sockets are closed behind them. */
const greeted = Effect.fnUntraced(function*(
  knocks: ReadonlyArray<Knock>,
  { isFlooded, isListening = true }: { readonly isFlooded?: boolean; readonly isListening?: boolean } = {}
) {
  const done: Array<string> = []
  let at = 0
  const listener: IrohListener = {
    local: LOCAL,
    accept: ({ local, remote }) => {
      done.push(`taken ${remote.iroh?.identity === IDENTITY} ${endpointText({ ...remote, iroh: undefined } as never)}`)
      assert.deepStrictEqual(local, LOCAL)
      return { received: () => undefined, drained: () => undefined, closed: () => undefined }
    },
    how: isFlooded === undefined ? undefined : {
      leavesIpv4: false,
      isFlooded: () => isFlooded,
      turnedAway: (remote) => void done.push(`turned away ${endpointText(remote)}`)
    }
  }
  const fiber = yield* Effect.forkChild(acceptIroh({
    sockets: {
      acceptNext: () => {
        const each = knocks[at++]
        if (each === undefined) done.push("no more")
        return Promise.resolve(each === undefined ? null : knock(each, done))
      }
    } as never,
    listener: () => isListening ? listener : undefined,
    patience: 5_000,
    drain: { opened: () => void done.push("counted"), stop: () => Effect.void }
  }))
  yield* settle
  return { done, fiber }
})

const LIMITED = ["counted", "window 2000000", "streams 1", "one-way streams 0"]

describe("a connection that comes in over Iroh", () => {
  it.effect("is taken with its identity and place once its preamble has come, and the next one after it", () =>
    Effect.gen(function*() {
      const says = Uint8Array.of(...PREAMBLE, 1, 2)
      const { done } = yield* greeted([{ says }, { says, from: { kind: "ip", addr: "[2a00::1]:7" } }])
      const taken = (place: string) => [...LIMITED, `taken true ${place}`]
      assert.deepStrictEqual(done, [...taken("8.8.8.8:7"), ...taken("[2a00::1]:7"), "no more"])
    }))

  it.effect("is closed where it says something else", () =>
    Effect.gen(function*() {
      const { done } = yield* greeted([{ says: Uint8Array.of(1, 2, 3) }])
      assert.deepStrictEqual(done, [...LIMITED, "closed", "no more"])
    }))

  it.effect("is refused where it comes through a relay, from no place, or where nothing listens", () =>
    Effect.gen(function*() {
      for (const from of [{ kind: "relay", addr: "8.8.8.8:7" }, { kind: "ip" }, { kind: "ip", addr: "nowhere" }]) {
        assert.deepStrictEqual((yield* greeted([{ from }], { isFlooded: false })).done, ["refused", "no more"])
      }
      assert.deepStrictEqual((yield* greeted([{}], { isListening: false })).done, ["refused", "no more"])
    }))

  it.effect("is turned away by name in a flood, before its handshake", () =>
    Effect.gen(function*() {
      const { done } = yield* greeted([{}], { isFlooded: true })
      assert.deepStrictEqual(done, ["refused", "turned away 8.8.8.8:7", "no more"])
    }))

  it.effect("that fails in its handshake does not end the listening", () =>
    Effect.gen(function*() {
      const { done } = yield* greeted([{ handshake: () => Promise.reject(new Error("no")) }, { says: PREAMBLE }])
      assert.deepStrictEqual(done, [...LIMITED, "taken true 8.8.8.8:7", "no more"])
    }))

  it.effect("is closed when it opens no stream in time", () =>
    Effect.gen(function*() {
      const { done, fiber } = yield* greeted([{}])
      assert.deepStrictEqual(done, LIMITED)
      yield* TestClock.adjust(4_999)
      assert.deepStrictEqual(done, LIMITED)
      yield* TestClock.adjust(1)
      yield* settle
      assert.deepStrictEqual(done, [...LIMITED, "closed", "no more"])
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("is closed when its handshake ends after that time", () =>
    Effect.gen(function*() {
      const made: Array<() => void> = []
      const closed: Array<string> = []
      const late = { closed: () => never(), close: () => void closed.push("closed") }
      yield* greeted([{ handshake: () => new Promise((resolve) => void made.push(() => resolve(late))) }])
      yield* TestClock.adjust(5_000)
      yield* settle
      assert.deepStrictEqual(closed, [])
      for (const end of made) end()
      yield* settle
      assert.deepStrictEqual(closed, ["closed"])
    }))
})
