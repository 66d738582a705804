import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { openKeyValueStore } from "../../../src/storage/key-value/open-key-value-store.ts"
import type { DiskEngineName } from "../../../src/storage/key-value/opening/disk-engine.ts"
import type { StorageError } from "../../../src/storage/storage-error.ts"
import { temporaryDirectory } from "../temporary-directory.ts"
import { entriesOf } from "./behaviour.ts"

const ENTRIES = 4000
const SPACES = [0x63, 0x66, 0x68, 0x6d]

const keyOf = (n: number): Uint8Array => Uint8Array.of(SPACES[n % SPACES.length]!, n >>> 8, n)
const valueOf = (n: number): Uint8Array => new Uint8Array(40).fill(n)

/** A store with a past: several batches, removals, and for LevelDB tables as well as a log. */
const build = (directory: string, backend: DiskEngineName): Effect.Effect<void, StorageError> =>
  Effect.gen(function*() {
    for (let round = 0; round < 3; round++) {
      const { store } = yield* openKeyValueStore({ directory, backend })
      yield* store.write((batch) => {
        for (let n = round; n < ENTRIES; n += 3) batch.put(keyOf(n), valueOf(n))
        for (let n = 0; n < round * 100; n++) batch.remove(Uint8Array.of(0x63, 200, n))
        if (round < 2) { for (let n = 0; n < 200; n++) batch.put(Uint8Array.of(0x63, 200, n), valueOf(n)) }
        else for (let n = 0; n < 200; n++) batch.remove(Uint8Array.of(0x63, 200, n))
      })
      yield* store.close
    }
  })

/** Whether what a store answers is right, or an error that says that it is not. */
const noticed = (directory: string, backend: DiskEngineName): Effect.Effect<"right" | "noticed"> =>
  Effect.gen(function*() {
    const { fallback, setAside, store } = yield* openKeyValueStore({ directory, backend })
    yield* Effect.addFinalizer(() => Effect.ignore(store.close))
    if (fallback !== undefined) {
      assert.isDefined(setAside)
      assert.include(fallback.reason, `store-${backend}`)
      return "noticed" as const
    }
    const numbers = Array.from({ length: ENTRIES }, (_, n) => n)
    const values = yield* store.getMany(numbers.map(keyOf))
    for (const n of numbers) assert.deepStrictEqual(values[n], valueOf(n), `entry ${n}`)
    const walked = yield* entriesOf(store, { from: Uint8Array.of(0), to: Uint8Array.of(255) })
    assert.strictEqual(walked.length, ENTRIES)
    return "right" as const
  }).pipe(
    Effect.scoped,
    Effect.catch((error) => {
      assert.strictEqual(error.reason, "corrupt", error.message)
      assert.include(error.message, `store-${backend}`)
      return Effect.succeed("noticed" as const)
    })
  )

const random = (seed: number): () => number => {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const flipAnywhere = (directory: string, next: () => number): string => {
  const files = fs.readdirSync(directory).filter((name) => /^data\.mdb$|\.ldb$|^MANIFEST|^CURRENT$|\.log$/.test(name))
  const name = files[Math.floor(next() * files.length)]!
  const content = fs.readFileSync(join(directory, name))
  const [at, bit] = [Math.floor(next() * content.length), Math.floor(next() * 8)]
  content[at]! ^= 1 << bit
  fs.writeFileSync(join(directory, name), content)
  return `bit ${bit} of byte ${at} of ${name}`
}

describe("a flipped bit", () => {
  for (const backend of ["heed3", "leveldb"] as const) {
    it.live(`anywhere in the files of ${backend} does no harm or is noticed`, () =>
      Effect.gen(function*() {
        const next = random(Number(process.env["LOCKSTEP_SEED"] ?? 1))
        const sound = yield* temporaryDirectory
        yield* build(sound, backend)
        assert.strictEqual(yield* noticed(sound, backend), "right")
        const outcomes: Array<string> = []
        // Many bits stand where no value is: a few rounds may miss them all, a hundred do not.
        for (let round = 0; round < 12 || (round < 100 && !outcomes.includes("noticed")); round++) {
          const directory = yield* temporaryDirectory
          fs.cpSync(sound, directory, { recursive: true })
          const where = flipAnywhere(join(directory, `store-${backend}`), next)
          const outcome = yield* Effect.catchDefect(noticed(directory, backend), (defect) =>
            Effect.die(new Error(`${where}: ${String(defect)}`)))
          outcomes.push(outcome)
        }
        assert.include(outcomes, "noticed")
      }))
  }
})
