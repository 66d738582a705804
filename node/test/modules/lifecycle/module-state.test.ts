import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import {
  FIRST,
  type ModuleAction,
  type ModuleInput,
  type ModulePhase,
  MOST_RESTARTS,
  restartDelay,
  STABLE_MS,
  transition
} from "../../../src/modules/lifecycle/module-state.ts"

const RESTARTING = { restartsCrashed: true }

interface Run {
  readonly state: ModulePhase
  readonly actions: ReadonlyArray<ModuleAction["_tag"]>
}

const run = (inputs: ReadonlyArray<ModuleInput>, rules = RESTARTING): Run => {
  let { state } = FIRST
  const actions: Array<ModuleAction["_tag"]> = FIRST.actions.map(({ _tag }) => _tag)
  for (const input of inputs) {
    const next = transition(state, input, rules)
    state = next.state
    actions.push(...next.actions.map(({ _tag }) => _tag))
  }
  return { state, actions }
}

const HANDSHAKE: ModuleInput = { _tag: "HandshakeDone" }
const subscribed = (at = 0): ModuleInput => ({ _tag: "Subscribed", at })
const ended = (at = 0): ModuleInput => ({ _tag: "Ended", reason: "exited with code 1", at })
const UNLOAD: ModuleInput = { _tag: "UnloadAsked" }
const DUE: ModuleInput = { _tag: "RestartDue" }

describe("the state of a module", () => {
  it("is loaded once it has subscribed, and over when it ends after it was unloaded", () => {
    const { actions, state } = run([HANDSHAKE, subscribed(), UNLOAD, ended()])
    assert.deepStrictEqual(state, { _tag: "Gone", error: undefined })
    assert.deepStrictEqual(actions, ["Spawn", "AnnounceLoaded", "Stop", "AnnounceUnloaded", "Remove"])
  })

  it("is over after a crash where modules are not started again, or where it was never loaded", () => {
    const crashed = run([HANDSHAKE, subscribed(), ended()], { restartsCrashed: false })
    assert.deepStrictEqual(crashed.actions.slice(2), ["AnnounceCrashed", "AnnounceHealth", "Remove"])
    assert.deepStrictEqual(run([HANDSHAKE, ended()]).actions, ["Spawn", "AnnounceCrashed", "Remove"])
  })

  it("after a crash waits longer each time, and is given up after five restarts in a row", () => {
    const life = [HANDSHAKE, subscribed(), ended(), DUE]
    const lives = Array.from({ length: MOST_RESTARTS }, () => life).flat()
    assert.deepStrictEqual(run(lives).state, { _tag: "Starting", restarts: MOST_RESTARTS })
    assert.strictEqual(run([...lives, ...life]).state._tag, "Gone")
    assert.deepStrictEqual([1, 2, 3, 4, 5].map(restartDelay), [1_000, 2_000, 4_000, 8_000, 16_000])
  })

  it("counts restarts anew after it ran for ten minutes", () => {
    const life = [HANDSHAKE, subscribed(0), ended(STABLE_MS), DUE]
    assert.deepStrictEqual(run([...life, ...life, ...life]).state, { _tag: "Starting", restarts: 1 })
  })

  it.each([[599_999, 2], [600_000, 1]])("after two lives of %d ms each has %d restarts behind it", (time, restarts) => {
    const life = [HANDSHAKE, subscribed(0), ended(time), DUE]
    assert.deepStrictEqual(run([...life, ...life]).state, { _tag: "Starting", restarts })
    const later = [HANDSHAKE, subscribed(5), ended(time + 5), DUE]
    assert.deepStrictEqual(run([...later, ...later]).state, { _tag: "Starting", restarts })
  })

  it("whatever happens, in whatever order, is announced as loaded once for each process and never after its end", () => {
    const input = fc.constantFrom(HANDSHAKE, subscribed(), subscribed(5), ended(), ended(STABLE_MS * 2), UNLOAD, DUE)
    fc.assert(fc.property(fc.array(input, { maxLength: 40 }), fc.boolean(), (inputs, restartsCrashed) => {
      const { actions } = run(inputs, { restartsCrashed })
      let [processes, loaded] = [0, 0]
      for (const [i, action] of actions.entries()) {
        if (action === "Spawn") [processes, loaded] = [processes + 1, 0]
        if (action === "AnnounceLoaded") assert.strictEqual(++loaded, 1)
        if (action === "AnnounceUnloaded") assert.strictEqual(loaded, 1)
        if (action === "Remove") assert.strictEqual(i, actions.length - 1)
      }
      assert.isAtLeast(processes, 1)
    }))
  })
})
