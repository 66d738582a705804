import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { loadConfig } from "../../src/config/load-config.ts"
import { inPlace } from "./loading.ts"

describe("the number of script workers", () => {
  it.effect("as many as processors, 64 at most, unless it is given", () =>
    inPlace((place) =>
      Effect.gen(function*() {
        const workers = (processors: number, text?: string) =>
          Effect.map(
            loadConfig(place.request({
              machine: { home: place.home, directory: place.directory, processors },
              assignments: text === undefined ? [] : [`validation.script_workers=${text}`]
            })),
            ({ config }) => config.validation.scriptWorkers
          )
        assert.deepStrictEqual(
          yield* Effect.all([workers(1), workers(2), workers(64), workers(65), workers(256)]),
          [1, 2, 64, 64, 64]
        )
        assert.deepStrictEqual(yield* Effect.all([workers(2, "0"), workers(2, "1"), workers(2, "256")]), [2, 1, 256])
      })
    ))
})
