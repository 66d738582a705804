import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { lmdbFreeListFault } from "../../src/storage/key-value/opening/lmdb-file-fault.ts"
import { levelTablesFault } from "../../src/storage/key-value/opening/level-table-fault.ts"
import { DISK_ENGINES, type DiskEngineName } from "../../src/storage/key-value/opening/disk-engine.ts"
import { randomOf } from "../crash/random.ts"
import { wholeBatches } from "../storage/key-value/numbered-batches.ts"
import { anyCut, describeCut } from "./any-cut.ts"
import { type Cut, diskModel, type Tree } from "./disk-model.ts"
import { makeRecorder } from "./recorder.ts"
import type { Recorded } from "./recording.ts"
import { readTree, treeDifferences, writeTree } from "./tree-files.ts"
import { patience } from "../process/patience.ts"

const PROGRAM = fileURLToPath(new URL("./store-program.ts", import.meta.url))

export interface StoreCuts {
  readonly engine: DiskEngineName
  readonly entries: number
  readonly batches: number
  readonly sessions: number
  readonly seed: number
  /** Cuts at each step; and of the steps, one in so many is tried. */
  readonly cutsPerStep: number
  readonly oneStepIn: number
}

/** Longer than any of these stores takes to be looked through. */
const LOOK_MS = patience(60_000)

/** The last batch that had been answered for in a tree. */
const answeredIn = (tree: Tree): number => {
  const lines = (tree.get("/answered") ?? Buffer.alloc(0)).toString().split("\n")
  return Number(lines.at(-2) ?? -1)
}

/** Opens what a cut left; answers the number of the last batch. */
const lastBatch = (engineName: DiskEngineName, directory: string, entries: number): Promise<number> => {
  const engine = DISK_ENGINES.find(({ name }) => name === engineName)!
  return Effect.runPromise(Effect.gen(function*() {
    if (engine.hasData(directory)) {
      assert.isUndefined(engine.fault(directory), "a look at the files")
      const deeper = engineName === "leveldb"
        ? levelTablesFault(directory, LOOK_MS)
        : lmdbFreeListFault(directory, LOOK_MS)
      assert.isUndefined(deeper, "a look into the files")
    }
    const store = yield* engine.open(directory)
    const last = yield* wholeBatches(store, entries)
    // It goes on.
    yield* store.write((batch) => batch.put(Uint8Array.of(1), Uint8Array.of(2)))
    yield* store.close
    return last
  }))
}

interface StoreProgram {
  readonly engine: DiskEngineName
  readonly entries: number
  readonly batches: number
  readonly sessions: number
}

/** Records a process that writes into a store. */
const recordProgram = (
  workplace: string,
  root: string,
  { batches, engine, entries, sessions }: StoreProgram
): ReadonlyArray<Recorded> => {
  fs.mkdirSync(root)
  const recorder = makeRecorder(workplace, root)
  const program = spawnSync(process.execPath, [
    "--no-warnings",
    PROGRAM,
    engine,
    root,
    ...[entries, batches, sessions].map(String)
  ], {
    env: { ...process.env, ...recorder.env },
    stdio: ["ignore", "inherit", "inherit"]
  })
  assert.strictEqual(program.status, 0)
  return recorder.operations()
}

/**
 * Records batches of LevelDB that fill its memory, and looks at each answer whether the names of its logs are on disk.
 */
export const logNames = async (size: Pick<StoreProgram, "batches" | "entries">): Promise<{ readonly logs: number }> => {
  const workplace = fs.mkdtempSync(join(tmpdir(), "lockstep-power-cut-"))
  const operations = recordProgram(workplace, join(workplace, "root"), { engine: "leveldb", sessions: 1, ...size })
  const disk = diskModel()
  const random = randomOf(0)
  const namesOf = (share: Cut["names"]): ReadonlyArray<string> =>
    disk.names({ bytes: "nothing", names: share, random }).filter((path) => path.endsWith(".log"))
  const seen = new Set<string>()
  let answered: bigint | undefined
  for (const { operation } of operations) {
    disk.apply(operation)
    if (operation._tag === "Open" && operation.path === "/answered") answered = operation.inode
    if (operation._tag !== "Write" || operation.inode !== answered) continue
    const onDisk = new Set(namesOf("nothing"))
    for (const name of namesOf("everything")) {
      seen.add(name)
      assert.isTrue(onDisk.has(name), `${name} is not on disk by its name when a batch in it is answered for`)
    }
  }
  fs.rmSync(workplace, { recursive: true })
  return { logs: seen.size }
}

/**
 * Records a process that writes into a store, and opens what a cut at each step may leave. Answers the number of cuts.
 */
export const cutStores = async (options: StoreCuts): Promise<number> => {
  const { batches, cutsPerStep, engine, entries, oneStepIn, seed, sessions } = options
  const workplace = fs.mkdtempSync(join(tmpdir(), "lockstep-power-cut-"))
  const [root, after] = [join(workplace, "root"), join(workplace, "after")]
  const operations = recordProgram(workplace, root, { engine, entries, batches, sessions })
  const random = randomOf(seed)
  const disk = diskModel({ isOrdered: () => engine === "leveldb" })
  let cuts = 0
  const tryCut = async (step: number, recorded: Recorded | undefined, answered: number): Promise<void> => {
    const cut = anyCut(random)
    fs.rmSync(after, { recursive: true, force: true })
    fs.mkdirSync(after)
    writeTree(after, disk.survivors(cut))
    cuts++
    try {
      const last = await lastBatch(engine, join(after, "store"), entries)
      assert.isAtLeast(last, answered, "a batch that was answered for is lost")
    } catch (error) {
      const what = `seed ${seed}, ${engine}: cut after operation ${step} (${recorded?.operation._tag}), ${
        describeCut(cut)
      }`
      throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)} (data in ${workplace})`, {
        cause: error
      })
    }
  }
  const everything: Cut = { bytes: "everything", names: "everything", random }
  for (const [step, recorded] of operations.entries()) {
    disk.apply(recorded.operation)
    if (random.below(oneStepIn) !== 0) continue
    const answered = answeredIn(disk.survivors(everything))
    for (let n = 0; n < cutsPerStep; n++) await tryCut(step, recorded, answered)
  }
  const missed = treeDifferences(disk.survivors(everything), readTree(root))
  assert.deepStrictEqual(missed, [], "files that the recorder did not see as they are")
  assert.strictEqual(answeredIn(readTree(root)), batches * sessions - 1)
  fs.rmSync(workplace, { recursive: true })
  return cuts
}
