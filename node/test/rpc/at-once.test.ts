import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { assert, describe, it } from "vitest"
import { attempt, hasEnded, mapAtOnce, matchAtOnce, valueAtOnce } from "../../src/http/at-once.ts"

const DEFECT = new Error("a defect")
const throws = (): never => {
  throw DEFECT
}

/** Effects that are over, and such that have yet to run, with how they end. */
const over = { well: Effect.succeed(7), failed: Effect.fail("no"), defect: Effect.die(DEFECT) }
const waiting = {
  well: Effect.promise(() => Promise.resolve(7)),
  failed: Effect.andThen(Effect.promise(() => Promise.resolve()), over.failed),
  defect: Effect.andThen(Effect.promise(() => Promise.resolve()), over.defect)
}

/** How an effect ends: its value, its error or its defect. */
const endOf = async (effect: Effect.Effect<unknown, unknown>): Promise<string> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return `value ${String(exit.value)}`
  const isDefect = Cause.hasDies(exit.cause)
  return isDefect ? `defect ${String(Cause.squash(exit.cause))}` : `error ${String(Cause.squash(exit.cause))}`
}

describe("an effect that is over", () => {
  it("has ended in a way that is known, and one that waits has not", () => {
    assert.deepStrictEqual(Object.values(over).map(hasEnded), ["well", "failed", "defect"])
    assert.deepStrictEqual(Object.values(waiting).map(hasEnded), [undefined, undefined, undefined])
    assert.strictEqual(valueAtOnce(over.well)?.value, 7)
    for (const effect of [over.failed, over.defect, ...Object.values(waiting)]) {
      assert.isUndefined(valueAtOnce(effect as Effect.Effect<number, string>))
    }
  })

  it("is mapped at once, and as one that waits", async () => {
    assert.strictEqual(hasEnded(mapAtOnce(over.well, (n) => n + 1)), "well")
    for (const kind of [over, waiting]) {
      assert.strictEqual(await endOf(mapAtOnce(kind.well, (n) => n + 1)), "value 8")
      assert.strictEqual(await endOf(mapAtOnce(kind.failed, () => 0)), "error no")
      assert.strictEqual(await endOf(mapAtOnce(kind.defect, () => 0)), "defect Error: a defect")
      assert.strictEqual(await endOf(mapAtOnce(kind.well, throws)), "defect Error: a defect")
    }
  })

  it("is matched at once, and as one that waits; a defect stays one", async () => {
    const to = { onFailure: (error: string) => `failed: ${error}`, onSuccess: (n: number) => `well: ${n}` }
    assert.strictEqual(hasEnded(matchAtOnce(over.failed as Effect.Effect<number, string>, to)), "well")
    for (const kind of [over, waiting]) {
      assert.strictEqual(await endOf(matchAtOnce(kind.well, to)), "value well: 7")
      assert.strictEqual(await endOf(matchAtOnce(kind.failed as Effect.Effect<number, string>, to)), "value failed: no")
      assert.strictEqual(
        await endOf(matchAtOnce(kind.defect as Effect.Effect<number, string>, to)),
        "defect Error: a defect"
      )
      assert.strictEqual(await endOf(matchAtOnce(kind.well, { ...to, onSuccess: throws })), "defect Error: a defect")
      assert.strictEqual(
        await endOf(matchAtOnce(kind.failed as Effect.Effect<number, string>, { ...to, onFailure: throws })),
        "defect Error: a defect"
      )
    }
  })

  it("is made by a function, of which what it throws is a defect", async () => {
    assert.strictEqual(await endOf(attempt(() => over.well)), "value 7")
    assert.strictEqual(await endOf(attempt(() => over.failed)), "error no")
    assert.strictEqual(hasEnded(attempt(throws)), "defect")
    assert.strictEqual(await endOf(attempt(throws)), "defect Error: a defect")
  })
})
