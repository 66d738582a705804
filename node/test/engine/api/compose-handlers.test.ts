import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { composeHandlers } from "../../../src/engine/api/compose-handlers.ts"
import type { EngineCallName } from "../../../src/engine/api/engine-calls.ts"
import type { Handlers } from "../../../src/engine/api/handler.ts"
import { startEngine } from "../../../src/engine/host/engine.ts"
import type { EngineParts } from "../../../src/engine/state/chain-engine.ts"
import { pool } from "../../../src/engine/mempool/mempool-extension.ts"
import { EXTENSIONS } from "../../../src/engine-worker/extensions.ts"

const tips: Handlers<"chainTips"> = { chainTips: () => Effect.succeed([]) }
const heights: Handlers<"hashAt" | "unbroadcast"> = {
  hashAt: () => Effect.succeed(undefined),
  unbroadcast: () => Effect.succeed([])
}

describe("handlers of calls in groups", () => {
  it("are one table, with one handler for each call", () => {
    const all: Handlers<"chainTips" | "hashAt" | "unbroadcast"> = composeHandlers([tips, heights])
    assert.sameMembers(Object.keys(all), ["chainTips", "hashAt", "unbroadcast"])
  })

  it("do not compile with two for a call, nor with none", () => {
    // @ts-expect-error chainTips is answered twice
    composeHandlers([tips, heights, tips])
    // @ts-expect-error coin is answered by none
    const missing: Handlers<"chainTips" | "coin"> = composeHandlers([tips])
    assert.notProperty(missing, "coin")
  })

  it("do not compile in an engine whose extensions answer a call twice, or leave one out", () => {
    const parts = {} as EngineParts
    const whole = () => startEngine(parts, EXTENSIONS)
    // @ts-expect-error the mempool answers its calls twice
    const twice = () => startEngine(parts, [pool, pool])
    const part = () => startEngine(parts, [pool])
    type Calls<E> = E extends () => Effect.Effect<infer A, infer _E, infer _R>
      ? A extends { readonly call: (name: infer N, input: never) => unknown } ? N : never
      : never
    const every: Calls<typeof whole> = "figures" satisfies EngineCallName
    // @ts-expect-error nothing answers figures
    const left: Calls<typeof part> = "figures"
    assert.deepStrictEqual([every, left, typeof twice], ["figures", "figures", "function"])
  })
})
