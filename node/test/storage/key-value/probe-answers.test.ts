import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as fs from "node:fs"
import { join } from "node:path"
import { isLacking } from "../../../src/storage/key-value/engine-error.ts"
import { probe } from "../../../src/storage/key-value/opening/probe.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../temporary-directory.ts"

const PATH = "/data/store"
const LONG = Duration.millis(patience(60_000))

/** Has a script of the shell run in the place of the program of Node.js, until the scope ends. */
const childIs = (script: string): Effect.Effect<{ readonly runs: () => number }, never, Scope.Scope> =>
  Effect.gen(function*() {
    const directory = yield* temporaryDirectory
    const [path, runs] = [join(directory, "child"), join(directory, "runs")]
    fs.writeFileSync(runs, "")
    fs.writeFileSync(path, `#!/bin/sh\necho "$@ $NODE_OPTIONS" >> '${runs}'\n${script}\n`, { mode: 0o755 })
    const real = process.execPath
    yield* Effect.acquireRelease(
      Effect.sync(() => void (process.execPath = path)),
      () => Effect.sync(() => void (process.execPath = real))
    )
    return { runs: () => fs.readFileSync(runs, "utf8").split("\n").length - 1 }
  })

const says = (report: unknown): string => `printf '%s' '${JSON.stringify(report)}'`

const run = (script: string, timeout = LONG): Effect.Effect<StorageError | undefined> =>
  Effect.scoped(Effect.gen(function*() {
    yield* childIs(script)
    const outcome = yield* Effect.result(probe("leveldb", "/data", PATH, timeout))
    return outcome._tag === "Failure" ? outcome.failure : undefined
  }))

describe("the answer of the process that reads a store first", () => {
  it.effect("is that the store is sound, also where the process ends itself by a signal after that", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* run(says({ _tag: "Sound" })))
      assert.isUndefined(yield* run(`${says({ _tag: "Sound" })}; kill -9 $$`))
      assert.isUndefined(yield* run(`echo warning >&2; ${says({ _tag: "Sound" })}; exit 3`))
    }))

  it.effect("is what is damaged", () =>
    Effect.gen(function*() {
      const error = yield* run(says({ _tag: "Damaged", detail: "page 7 is free and in use" }))
      assert.deepInclude(error, { part: "key-value", operation: "open", reason: "corrupt", path: PATH })
      assert.include(error!.message, "page 7 is free and in use")
    }))

  it.effect("is that the engine is lacking here", () =>
    Effect.gen(function*() {
      const error = yield* run(says({ _tag: "Lacking", detail: "no such library" }))
      assert.isTrue(isLacking(error!))
      assert.include(error!.message, "no such library")
    }))

  it.effect("is an error of the engine: damage, unless its code or the words of the system say otherwise", () =>
    Effect.gen(function*() {
      const reasonOf = (message: string, code?: string | number) =>
        Effect.map(run(says({ _tag: "Failed", message, code })), (error) => error?.reason)
      assert.strictEqual(yield* reasonOf("MDB_BAD_VALSIZE: something odd"), "corrupt")
      for (
        const words of [
          "Permission denied",
          "operation not permitted",
          "Read-only file system",
          "Input/output error",
          "too many open files",
          "Cannot allocate memory"
        ]
      ) {
        assert.strictEqual(yield* reasonOf(words), "io", words)
      }
      assert.strictEqual(yield* reasonOf("x", "LEVEL_LOCKED"), "locked")
      assert.strictEqual(yield* reasonOf("x", 28), "full")
      assert.strictEqual(yield* reasonOf("x", -30796), "corrupt")
    }))

  it.effect("is damage where there is none, with the end of the process and its last words", () =>
    Effect.gen(function*() {
      const detail = (script: string) => Effect.map(run(script), (error) => [error?.reason, error?.message] as const)
      const [reason, ended] = yield* detail("echo reading >&2; exit 7")
      assert.strictEqual(reason, "corrupt")
      assert.include(ended, "a process that tried to read it ended with code 7. ")
      assert.include((yield* detail("echo reading >&2; echo two >&2; exit 1"))[1], "ended with code 1 (two). ")
      const [crashed, signal] = yield* detail("echo reading >&2; kill -11 $$")
      assert.strictEqual(crashed, "corrupt")
      assert.include(signal, "was killed by SIGSEGV. ")
    }))

  it.effect.each(["kill -9 $$", "kill -15 $$", "kill -2 $$", "kill -5 $$"])(
    "is no damage where others or the machine ended the process: %s",
    (end) => Effect.map(run(`echo reading >&2; ${end}`), (error) => assert.strictEqual(error?.reason, "io"))
  )

  it.effect.each(["exit 7", "kill -11 $$", "kill -6 $$", "echo no memory >&2; exit 134"])(
    "is no damage where the process ended before it began to read: %s",
    (end) => Effect.map(run(end), (error) => assert.strictEqual(error?.reason, "io"))
  )

  it.effect("is waited for a second time where a signal ended the process, and no third time", () =>
    Effect.scoped(Effect.gen(function*() {
      const { runs } = yield* childIs("kill -11 $$")
      yield* Effect.flip(probe("leveldb", "/data", PATH, LONG))
      assert.strictEqual(runs(), 2)
    })))

  it.live("is waited for no longer than the time it has", () =>
    Effect.gen(function*() {
      const error = yield* run("exec sleep 60", Duration.millis(250))
      assert.deepInclude(error, { reason: "io", path: PATH })
      assert.include(error!.message, "it could not be read within 0.25 seconds")
    }))

  it.effect("comes from a process that is asked for one engine and directory, without the options of this one", () =>
    Effect.scoped(Effect.gen(function*() {
      const options = process.env["NODE_OPTIONS"]
      yield* Effect.acquireRelease(
        Effect.sync(() => void (process.env["NODE_OPTIONS"] = "--inspect=0")),
        () =>
          Effect.sync(() => {
            if (options === undefined) delete process.env["NODE_OPTIONS"]
            else process.env["NODE_OPTIONS"] = options
          })
      )
      for (const [keys, last] of [["node", ""], ["any", "any"]] as const) {
        yield* childIs(`[ "$3 $4 $5 $6 $NODE_OPTIONS" = "leveldb /data 250 ${last} " ] && ${says({ _tag: "Sound" })}`)
        yield* probe("leveldb", "/data", PATH, LONG, keys)
      }
    })))

  it.effect("is an error where no process can be started", () =>
    Effect.scoped(Effect.gen(function*() {
      yield* childIs("")
      fs.rmSync(process.execPath)
      const error = yield* Effect.flip(probe("leveldb", "/data", PATH, LONG))
      assert.deepInclude(error, { operation: "open", reason: "missing", path: PATH })
    })))
})
