import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { openKeyValueStore } from "../../src/storage/key-value/open-key-value-store.ts"
import { randomOf } from "../crash/random.ts"
import { wholeBatches } from "../storage/key-value/numbered-batches.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { anyCut, describeCut } from "./any-cut.ts"
import { diskModel, type Tree } from "./disk-model.ts"
import { canRecord, makeRecorder } from "./recorder.ts"
import { readTree, treeDifferences, writeTree } from "./tree-files.ts"

const PROGRAM = fileURLToPath(new URL("./convert-program.ts", import.meta.url))
const SEED = Number(process.env["LOCKSTEP_SEED"] ?? 1)
const ENTRIES = 50

/** Opening takes a process each time, so only what may differ in its files is opened. */
const CUTS = 4

/** Opens what a cut left; answers the number of the last batch. */
const lastBatch = Effect.fnUntraced(function*(tree: Tree) {
  const root = yield* temporaryDirectory
  writeTree(root, tree)
  const { store, warnings } = yield* openKeyValueStore({ directory: join(root, "data"), backend: "auto" })
  const last = yield* wholeBatches(store, ENTRIES)
  yield* store.close
  assert.deepStrictEqual(warnings.filter((text) => !text.includes("is not used")), [])
  return last
}, Effect.scoped)

describe.skipIf(!canRecord)("a store that is copied to the other engine", () => {
  it.live("is there whole after a power cut, under one engine or the other", () =>
    Effect.gen(function*() {
      const [workplace, root] = [yield* temporaryDirectory, fs.realpathSync(yield* temporaryDirectory)]
      const recorder = makeRecorder(workplace, root)
      const program = spawnSync(process.execPath, ["--no-warnings", PROGRAM, root, String(ENTRIES)], {
        env: { ...process.env, ...recorder.env },
        stdio: ["ignore", "inherit", "inherit"]
      })
      assert.strictEqual(program.status, 0)
      const random = randomOf(SEED)
      const disk = diskModel({ isOrdered: (directory) => directory.includes("store-leveldb") })
      const operations = recorder.operations()
      const filled = operations.findIndex(({ operation }) => operation._tag === "Open" && operation.path === "/filled")
      assert.isAbove(filled, 0)
      /** The moments at which one directory takes the place of another, and some others. */
      const isMoment = (step: number): boolean => {
        const { operation } = operations[step]!
        return operation._tag === "Rename" && /store-[^/]+$/.test(operation.to) || operation._tag === "RemoveDirectory"
      }
      const moments = [...operations.keys()].filter((step) => step > filled && isMoment(step))
      const others = Array.from({ length: CUTS }, () => filled + random.below(operations.length - filled))
      const steps = new Set([...moments, ...others])
      for (const [step, { operation }] of operations.entries()) {
        disk.apply(operation)
        if (!steps.has(step)) continue
        const cut = anyCut(random)
        const last = yield* lastBatch(disk.survivors(cut)).pipe(
          Effect.mapError((cause) =>
            new Error(`seed ${SEED}, after operation ${step}, ${describeCut(cut)}: ${cause.message}`, { cause })
          )
        )
        assert.strictEqual(last, 0, `seed ${SEED}, after operation ${step} (${operation._tag}), ${describeCut(cut)}`)
      }
      assert.deepStrictEqual(
        treeDifferences(disk.survivors({ bytes: "everything", names: "everything", random }), readTree(root)),
        []
      )
    }))
})
