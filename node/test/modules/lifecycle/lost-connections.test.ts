import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { liveOnce } from "../../../src/modules/lifecycle/module-life.ts"

type Life = Parameters<typeof liveOnce>[0]

/** The life of a module whose connections last for so many milliseconds each, and are all lost. */
const losing = (durations: ReadonlyArray<number>) => {
  const seen = { connections: 0, cutOff: 0, isFirst: [] as Array<boolean> }
  let time = 0
  const life = {
    process: Effect.succeed({
      connect: () =>
        Effect.sync(() => {
          time += durations[seen.connections++] ?? 0
          return { over: Effect.succeed({ reason: "was cut", isLost: true }), finish: Effect.void }
        })
    }),
    open: Effect.succeed({}),
    connected: (_connection: unknown, _api: unknown, isFirst: boolean) =>
      Effect.sync(() => void seen.isFirst.push(isFirst)),
    cutOff: () => Effect.sync(() => void seen.cutOff++),
    stopAsked: Effect.never,
    isStopAsked: () => false,
    now: () => time
  } as unknown as Life
  return { life, seen }
}

const GIVEN_UP = "lost its connection 11 times in a row: was cut"

describe("a module that loses its connection again and again", () => {
  it.effect("connects again ten times, and counts as crashed with the eleventh loss", () =>
    Effect.gen(function*() {
      const { life, seen } = losing([])
      assert.strictEqual(yield* liveOnce(life), GIVEN_UP)
      assert.deepStrictEqual([seen.connections, seen.cutOff], [11, 11])
      assert.deepStrictEqual(seen.isFirst, [true, ...Array<boolean>(10).fill(false)])
    }))

  it.effect("starts a new row with a connection that lasted for a minute", () =>
    Effect.gen(function*() {
      for (const [lasted, connections] of [[59_999, 11], [60_000, 15]] as const) {
        const { life, seen } = losing([0, 0, 0, 0, lasted])
        assert.strictEqual(yield* liveOnce(life), GIVEN_UP)
        assert.strictEqual(seen.connections, connections, String(lasted))
      }
    }))
})
