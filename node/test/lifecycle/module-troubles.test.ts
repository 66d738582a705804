import { assert, describe, it } from "vitest"
import { moduleTroubles } from "../../src/lifecycle/module-troubles.ts"
import type { ModuleStatus } from "../../src/modules/lifecycle/module-status.ts"
import type { ProcessFigures } from "../../src/modules/lifecycle/spawn.ts"

const saying = (health: ProcessFigures["health"]): ProcessFigures => ({
  usage: undefined,
  requests: { answered: 0, refused: 0 },
  events: { delivered: 0, failed: 0, channelFull: 0 },
  health
})

type Case = readonly [ModuleStatus["status"], ProcessFigures | undefined, ReadonlyArray<string>, ReadonlyArray<string>]

describe("what is wrong with a module", () => {
  it.each<Case>([
    ["loaded", saying({ _tag: "Healthy" }), [], []],
    ["loaded", saying({ _tag: "Unresponsive" }), [], ["the module a says Unresponsive"]],
    ["loaded", saying({ _tag: "Crashed", error: "no disk" }), [], ["the module a says Crashed: no disk"]],
    ["backing off", undefined, ["exited with code 3"], ["the module a exited with code 3"]],
    ["crashed", undefined, ["exited with code 3"], ["the module a exited with code 3"]],
    ["unloaded", undefined, [], []],
    ["refused", undefined, ["name is missing"], []]
  ])("that is %s", (status, figures, errors, troubles) => {
    assert.deepStrictEqual(moduleTroubles([{ name: "a", status, figures, errors }]), troubles)
  })
})
