import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { acceptI2p, type I2pWaits } from "../../../src/p2p/transport/i2p/accept-i2p.ts"
import { ListenError } from "../../../src/p2p/transport/transport.ts"
import { endpoint } from "./transport-suite.ts"

const HERE = endpoint("8.8.8.8:0")
const ELSEWHERE = endpoint("8.8.4.4:0")

/** What each attempt does: it listens there, and accepts a connection or fails. */
interface Turn {
  readonly at?: Endpoint
  readonly fails?: string
}

/** Runs the turns; answers when each began, and what was said. */
const played = Effect.fnUntraced(function*(turns: ReadonlyArray<Turn>, waits?: I2pWaits) {
  const began: Array<number> = []
  const said: Array<string> = []
  const fiber = yield* Effect.forkChild(acceptI2p({
    accept: (() => undefined) as never,
    ...waits === undefined ? {} : { waits },
    network: {
      accept: (_: unknown, listening: (at: Endpoint) => void) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const turn = turns[began.length]
          if (turn === undefined) return Effect.never
          began.push(now)
          if (turn.at !== undefined) listening(turn.at)
          return turn.fails === undefined ? Effect.void : Effect.fail(new ListenError({ message: turn.fails }))
        })
    } as never,
    learned: {
      addOwn: (at: Endpoint) => void said.push(`own ${at.address.bytes.join(".")}`),
      removeOwn: (at: Endpoint) => void said.push(`not own ${at.address.bytes.join(".")}`)
    } as never,
    notify: { log: (level, message) => void said.push(`${level}: ${message}`) }
  }))
  yield* TestClock.adjust(60_000)
  yield* Fiber.interrupt(fiber)
  return { began, said }
})

const gaps = (began: ReadonlyArray<number>): ReadonlyArray<number> => began.slice(1).map((at, i) => at - began[i]!)

describe("connections through I2P are accepted", () => {
  it.effect("one after another at once; after each failure a second later than after the last, until one comes", () =>
    Effect.gen(function*() {
      const down = { fails: "the router is down" }
      const { began } = yield* played([{ at: HERE }, { at: HERE }, down, down, down, { at: HERE }, down, down])
      assert.deepStrictEqual(gaps(began), [0, 0, 1_000, 2_000, 3_000, 0, 1_000])
    }))

  it.effect("with waits that stop growing at the most that is set", () =>
    Effect.gen(function*() {
      const { began } = yield* played(Array.from({ length: 6 }, () => ({ fails: "down" })), {
        step: 1_000,
        most: 2_500
      })
      assert.deepStrictEqual(gaps(began), [1_000, 2_000, 2_500, 2_500, 2_500])
    }))

  it.effect("at an address that is said once, and is none of this node while the router is away", () =>
    Effect.gen(function*() {
      const { said } = yield* played([
        { at: HERE },
        { at: HERE },
        { at: ELSEWHERE, fails: "away" },
        { fails: "away" },
        {
          fails: "gone"
        },
        { at: ELSEWHERE },
        { fails: "gone" }
      ])
      assert.deepStrictEqual(said, [
        "own 8.8.8.8",
        "info: other nodes may connect through I2P",
        "own 8.8.4.4",
        "info: other nodes may connect through I2P",
        "not own 8.8.4.4",
        "warn: away; the node tries again",
        "debug: away; the node tries again",
        "warn: gone; the node tries again",
        "own 8.8.4.4",
        "info: other nodes may connect through I2P",
        "not own 8.8.4.4",
        "warn: gone; the node tries again"
      ])
    }))
})
