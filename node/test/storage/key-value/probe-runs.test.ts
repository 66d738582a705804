import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openKeyValueStore } from "../../../src/storage/key-value/open-key-value-store.ts"
import { DISK_ENGINES } from "../../../src/storage/key-value/opening/disk-engine.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { bytes } from "./behaviour.ts"

/** The program of Node.js behind a script that writes a line for each run and can end before the first one. */
const counted = (directory: string, fault: string): { readonly path: string; readonly runs: () => number } => {
  const [path, runs] = [join(directory, "node-counted"), join(directory, "runs")]
  fs.writeFileSync(runs, "")
  fs.writeFileSync(
    path,
    `#!/bin/sh\necho run >> '${runs}'\n[ "$(wc -l < '${runs}')" = 1 ] && ${fault}\nexec '${process.execPath}' "$@"\n`,
    { mode: 0o755 }
  )
  return { path, runs: () => fs.readFileSync(runs, "utf8").split("\n").length - 1 }
}

describe.each(DISK_ENGINES)("the probe of a store of $name", (engine) => {
  const runsOf = (fault: string): Effect.Effect<number, unknown> =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.scoped(Effect.gen(function*() {
        const { store } = yield* openKeyValueStore({ directory, backend: engine.name })
        yield* store.write((batch) => batch.put(bytes("key"), bytes("value")))
        yield* store.close
      }))
      const { path, runs } = counted(directory, fault)
      const real = process.execPath
      process.execPath = path
      yield* engine.probe(directory, Duration.millis(patience(60_000))).pipe(
        Effect.ensuring(Effect.sync(() => process.execPath = real))
      )
      return runs()
    }))

  it.effect("is made once where it comes to an end, which each start pays for", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* runsOf("false"), 1)
    }))

  it.effect("is repeated where a signal ends it before it answers", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* runsOf("kill -9 $$"), 2)
    }))
})
