import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../../../src/engine/state/chain-engine.ts"
import { RUNNING } from "../../../src/engine/state/engine-status.ts"
import { asFault, callerErrorOf } from "../../../src/engine/chainstate/faults.ts"
import { StorageError } from "../../../src/storage/storage-error.ts"

const lost = new StorageError({
  part: "block-files",
  operation: "read block",
  reason: "missing",
  message: "It is gone."
})

const place = () => {
  const news: Array<{ readonly _tag: string; readonly level?: string }> = []
  const engine = { status: RUNNING, notify: (each: never) => void news.push(each) }
  return { engine: engine as unknown as ChainEngine, news }
}

describe("what a caller gets of an error", () => {
  it("storage that fails ends all changes, and is announced once", () => {
    const { engine, news } = place()
    const broken = { _tag: "Broken", cause: "It is gone." } as const
    assert.deepStrictEqual(callerErrorOf(engine, Cause.fail(lost)), broken)
    assert.deepStrictEqual(engine.status, broken)
    assert.deepStrictEqual(news, [{ _tag: "Fatal", message: "It is gone." } as never])
    callerErrorOf(engine, Cause.fail(lost))
    assert.lengthOf(news, 1)
  })

  it("a script worker that fails is named, and nothing is broken by it", () => {
    const { engine, news } = place()
    const failure = { _tag: "ScriptPoolFailure", message: "out of cheese" } as const
    assert.deepStrictEqual(callerErrorOf(engine, Cause.fail(failure)), {
      _tag: "ScriptWorkerFailed",
      message: "out of cheese"
    })
    assert.deepStrictEqual([engine.status, news.map(({ _tag, level }) => [_tag, level])], [RUNNING, [["Log", "error"]]])
  })

  it("another error is passed on as it is, and a defect is logged and not reported", () => {
    const { engine, news } = place()
    const undecodable = { _tag: "Undecodable", what: "block" } as const
    assert.strictEqual(callerErrorOf(engine, Cause.fail(undecodable)) as unknown, undecodable)
    assert.deepStrictEqual(news, [])
    assert.deepStrictEqual(callerErrorOf(engine, Cause.die(new Error("secret"))), { _tag: "Defect" })
    assert.deepStrictEqual([engine.status, news.map(({ _tag, level }) => [_tag, level])], [RUNNING, [["Log", "error"]]])
  })

  it.effect("storage that fails outside the writer's turn is reported with its reason, and another error as it is", () =>
    Effect.gen(function*() {
      const reported = yield* Effect.flip(asFault(Effect.fail(lost)))
      assert.deepStrictEqual(reported, { _tag: "StorageFailed", reason: "missing", message: "It is gone." })
      const other = { _tag: "Undecodable", what: "block" } as const
      assert.strictEqual(yield* Effect.flip(asFault(Effect.fail(other))), other)
    }))
})
