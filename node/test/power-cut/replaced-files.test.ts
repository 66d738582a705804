import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { randomOf } from "../crash/random.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { anyCut, describeCut } from "./any-cut.ts"
import { type Cut, diskModel, type Tree } from "./disk-model.ts"
import { canRecord, makeRecorder } from "./recorder.ts"
import { replacedBytes } from "./replaced-bytes.ts"
import { readTree, treeDifferences } from "./tree-files.ts"

const PROGRAM = fileURLToPath(new URL("./replace-program.ts", import.meta.url))
const SEED = Number(process.env["LOCKSTEP_SEED"] ?? 1)
const VERSIONS = 6
const CUTS_PER_STEP = 12
const FILES = ["xor.dat", "peers.json"]

const answeredIn = (tree: Tree, name: string): number =>
  Number((tree.get(`/${name}.answered`) ?? Buffer.alloc(0)).toString().split("\n").at(-2) ?? -1)

/** Which version a file has; −1: there is none. */
const versionOf = (bytes: Buffer | undefined): number | undefined =>
  bytes === undefined
    ? -1
    : Array.from({ length: VERSIONS }, (_, version) => version).find((version) => bytes.equals(replacedBytes(version)))

describe.skipIf(!canRecord)("a small file after a power cut", () => {
  it.live("is there whole, as it was or as it is, and as it was said to be once that was said", () =>
    Effect.gen(function*() {
      const [workplace, root] = [yield* temporaryDirectory, fs.realpathSync(yield* temporaryDirectory)]
      const recorder = makeRecorder(workplace, root)
      const program = spawnSync(process.execPath, ["--no-warnings", PROGRAM, root, String(VERSIONS)], {
        env: { ...process.env, ...recorder.env },
        stdio: ["ignore", "inherit", "inherit"]
      })
      assert.strictEqual(program.status, 0)
      const random = randomOf(SEED)
      const everything: Cut = { bytes: "everything", names: "everything", random }
      const disk = diskModel()
      const operations = recorder.operations()
      for (const [step, { operation }] of operations.entries()) {
        disk.apply(operation)
        const live = disk.survivors(everything)
        for (let n = 0; n < CUTS_PER_STEP; n++) {
          const cut = anyCut(random)
          const tree = disk.survivors(cut)
          for (const name of FILES) {
            const what = `seed ${SEED}, ${name} after operation ${step} (${operation._tag}), ${describeCut(cut)}`
            const version = versionOf(tree.get(`/made/for it/${name}`))
            assert.isDefined(version, `${what}: it is no version of it`)
            assert.isAtLeast(version!, answeredIn(live, name), `${what}: a version that was answered for is lost`)
          }
        }
      }
      const whole = disk.survivors(everything)
      assert.deepStrictEqual(
        treeDifferences(whole, readTree(root)),
        [],
        "files that the recorder did not see as they are"
      )
      for (const name of FILES) assert.strictEqual(answeredIn(whole, name), VERSIONS - 1)
    }))
})
