import { assert, describe, it } from "@effect/vitest"
import {
  type EngineStatus,
  haltedBecause,
  isEnding,
  RUNNING,
  setClosing,
  setPaused,
  setResumed,
  setSpace,
  spaceFault
} from "../../../src/engine/state/engine-status.ts"

const LOW = { directory: "here", minimumFreeBytes: 2 * 1024 * 1024 }
const LOW_TEXT = "Less than 2 MiB are free in here: nothing is written until there is more"

const engine = (status: EngineStatus = RUNNING): { status: EngineStatus } => ({ status })

describe("the status of an engine", () => {
  it("follows the space watch", () => {
    const one = engine()
    setSpace(one, LOW)
    assert.deepStrictEqual(spaceFault(one), { _tag: "LowSpace", ...LOW })
    assert.strictEqual(haltedBecause(one), LOW_TEXT)
    setSpace(one, undefined)
    assert.deepStrictEqual(one.status, RUNNING)
    assert.isUndefined(spaceFault(one))
  })

  it("keeps what the space watch says while a write waits", () => {
    const one = engine()
    setPaused(one, "no space left")
    assert.isUndefined(spaceFault(one))
    setSpace(one, LOW)
    assert.strictEqual(haltedBecause(one), "no space left")
    assert.deepStrictEqual(spaceFault(one), { _tag: "LowSpace", ...LOW })
    setResumed(one)
    assert.strictEqual(haltedBecause(one), LOW_TEXT)
    setResumed(one)
    assert.strictEqual(one.status._tag, "LowSpace")
  })

  it("is paused by a write that waits, also while space is low already", () => {
    const one = engine()
    setSpace(one, LOW)
    setPaused(one, "no space left")
    assert.strictEqual(haltedBecause(one), "no space left")
    assert.deepStrictEqual(spaceFault(one), { _tag: "LowSpace", ...LOW })
    setPaused(one, "another write waits")
    assert.strictEqual(haltedBecause(one), "no space left", "the first of them says why")
    setSpace(one, undefined)
    setResumed(one)
    assert.deepStrictEqual(one.status, RUNNING)
  })

  it("is final once the engine is ending", () => {
    for (const ending of [{ _tag: "Closing" }, { _tag: "Broken", cause: "it broke" }] as const) {
      const one = engine(ending)
      assert.isTrue(isEnding(one))
      setSpace(one, LOW)
      setPaused(one, "no space left")
      setResumed(one)
      setClosing(one)
      assert.deepStrictEqual(one.status, ending)
      assert.deepStrictEqual([haltedBecause(one), spaceFault(one)], [undefined, undefined])
    }
  })
})
