import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openKeyValueStore } from "../../src/storage/key-value/open-key-value-store.ts"
import { bring, type Condition } from "./conditions.ts"

/** What came of opening a store in which one thing was in a condition. */
export interface Opened {
  readonly engine: string
  /** Which of its files, as a pattern. */
  readonly kind: string
  readonly condition: Condition
  /** Of the error; none: it opened. */
  readonly reason: string | undefined
  readonly message: string
  /** Whether the entry that was stored before is there. */
  readonly hasEntry: boolean
  /** What the directory of the store has beside it. */
  readonly beside: ReadonlyArray<string>
}

/** Those that need no other user: this program may give nothing away. */
const OWN: ReadonlyArray<Condition> = ["unreadable", "unwritable", "a directory"]

/** The directory itself. */
const DIRECTORY = /^$/

const KINDS = {
  heed3: [DIRECTORY, /^data\.mdb$/],
  leveldb: [DIRECTORY, /^CURRENT$/, /^MANIFEST-/, /\.log$/, /\.ldb$/, /^LOCK$/]
} as const

const KEY = Uint8Array.of(109)

/** Opens stores of both engines with each of their files and directories in each condition, and prints what came of it. */
const program = Effect.gen(function*() {
  const all: Array<Opened> = []
  for (const engine of ["heed3", "leveldb"] as const) {
    const directory = mkdtempSync(join(tmpdir(), "lockstep-store-rights-"))
    const store = `store-${engine}`
    for (let time = 0; time < 2; time++) {
      const opened = yield* openKeyValueStore({ directory, backend: engine })
      yield* opened.store.write((batch) => batch.put(KEY, Uint8Array.of(time)))
      yield* opened.close
    }
    for (const kind of KINDS[engine]) {
      for (const condition of OWN) {
        if (kind === DIRECTORY && condition === "a directory") continue
        // LevelDB gives its files new names when it is opened.
        const name = kind === DIRECTORY ? "" : readdirSync(join(directory, store)).find((each) => kind.test(each))
        if (name === undefined) throw new Error(`no ${kind.source} in ${readdirSync(join(directory, store)).join(" ")}`)
        const undo = bring(join(directory, store, name), condition)
        const opened = yield* Effect.result(openKeyValueStore({ directory, backend: "auto" }))
        let hasEntry = false
        if (Result.isSuccess(opened)) {
          hasEntry = (yield* opened.success.store.get(KEY)) !== undefined
          yield* opened.success.close
        }
        const beside = readdirSync(directory).filter((each) => each !== store)
        const failure = Result.isFailure(opened) ? opened.failure : undefined
        all.push({
          engine,
          kind: kind.source,
          condition,
          reason: failure?.reason,
          message: failure?.message ?? "",
          hasEntry,
          beside
        })
        if (beside.length > 0) return all
        undo(failure === undefined)
      }
    }
    rmSync(directory, { recursive: true })
  }
  return all
})

process.stdout.write(JSON.stringify(await Effect.runPromise(program)))
