import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { EngineOptions } from "../../src/engine/options/engine-options.ts"
import { indexSwitches } from "../../src/engine/options/index-switches.ts"
import { checkAfterRestart } from "../crash/check.ts"
import { type Memory, mine, putUnderLoad } from "../crash/load.ts"
import { type Random, randomOf } from "../crash/random.ts"
import { type Reference, reference } from "../crash/reference.ts"
import { configOf, PRUNED_FROM, SHORT_FILES, TOKEN } from "../crash/rounds.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import { type Acknowledgements, acknowledgements } from "./acknowledged.ts"
import { anyCut, describeCut } from "./any-cut.ts"
import { checkData, type RightCoins, rightCoins } from "./check-data.ts"
import { type DiskModel, diskModel } from "./disk-model.ts"
import { makeRecorder, type Recorder } from "./recorder.ts"
import type { Recorded } from "./recording.ts"
import { readTree, treeDifferences, writeTree } from "./tree-files.ts"

export interface NodeCuts {
  readonly backend: "heed3" | "leveldb"
  readonly indexes: boolean
  readonly prunes?: boolean
  readonly seed: number
  /** Things that the node is asked for in each of its two lives. */
  readonly steps: number
  readonly cuts: number
  /** One cut in so many is looked at with a process of its own, the others in this thread; 0: none. */
  readonly processEvery: number
  readonly onCut?: (cut: number, text: string) => void
}

/** What the parts of one run share. */
interface Run {
  readonly options: NodeCuts
  readonly workplace: string
  readonly root: string
  readonly random: Random
  readonly clean: Reference
  readonly recorder: Recorder
  readonly answered: Acknowledgements
  readonly right: RightCoins
  node: RunningNode | undefined
}

const start = async (run: Run, directory: string, env: Readonly<Record<string, string>>): Promise<RunningNode> => {
  const short: Record<string, string> = run.options.prunes === true
    ? { LOCKSTEP_TEST_BLOCK_FILE_BYTES: SHORT_FILES }
    : {}
  const args = ["--config", join(run.workplace, "node.toml")]
  const node = await startNode(directory, { args, token: TOKEN, env: { ...short, ...env } })
  run.node = node
  return node
}

const endWell = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  node.client.close()
  if (exitCode !== 0 || stderr !== "") throw new Error(`the stop: exit code ${exitCode}, ${stderr}`)
}

/** Blocks that can be spent from, or pruned. */
const grow = async ({ answered: { memory }, options, random }: Run, { client }: RunningNode): Promise<void> => {
  const height = options.prunes === true ? PRUNED_FROM + 100 : 110
  for (let at = 0; at < height; at += 100) await mine(client, memory, random, Math.min(100, height - at))
}

/** Two lives of a node, recorded: one that ends well, one that is killed. */
const live = async (run: Run): Promise<void> => {
  const { answered: { memory }, clean, options, random, recorder, root } = run
  for (const life of [1, 2]) {
    // The second one tells every new tip before it commits the coins.
    const early: Record<string, string> = life === 2 ? { LOCKSTEP_TEST_EARLY_CHANGES: "0" } : {}
    const node = await start(run, join(root, "data"), { ...recorder.env, ...early })
    if (life === 1) await grow(run, node)
    let left = options.steps
    await putUnderLoad(
      { client: node.client, memory, random, clean, prunes: options.prunes ?? false },
      () => left-- <= 0
    )
    if (life === 1) await endWell(node)
    else {
      node.signal("SIGKILL")
      await node.ended
      node.client.close()
    }
  }
}

/** The options of the node, for its chain alone. */
const engineOptions = ({ backend, indexes, prunes = false }: NodeCuts, directory: string): EngineOptions => ({
  ...regtestOptions(directory),
  backend,
  scriptWorkers: 0,
  ...indexSwitches(() => indexes),
  pruning: prunes ? { _tag: "KeepBlocks", blocks: 288 } : { _tag: "Disabled" }
})

const checkWithProcess = async (run: Run, directory: string, acknowledged: Memory["acknowledged"]): Promise<void> => {
  const { answered: { memory: { blocks, tips } }, clean, options, random } = run
  const node = await start(run, directory, {})
  await checkAfterRestart(node, { blocks, tips, acknowledged }, random, clean, options.indexes)
  if (/damaged|moved to/.test(node.stdout())) throw new Error(`something was damaged:\n${node.stdout()}`)
  await endWell(node)
}

/** Starts on what a cut leaves, and looks whether anything that was answered for is lost. */
const tryCut = async (
  run: Run,
  disk: DiskModel,
  step: number,
  { end, operation }: Recorded,
  inProcess: boolean
): Promise<string> => {
  const { answered, options, random, right, workplace } = run
  const cut = anyCut(random)
  const after = join(workplace, "after")
  fs.rmSync(after, { recursive: true, force: true })
  fs.mkdirSync(after)
  writeTree(after, disk.survivors(cut))
  const text = `cut after operation ${step} (${operation._tag}), ${describeCut(cut)}`
  const directory = join(after, "data")
  try {
    if (inProcess) await checkWithProcess(run, directory, answered.at(end))
    else {
      const network = join(directory, "regtest")
      fs.mkdirSync(network, { recursive: true })
      await checkData(engineOptions(options, network), answered.at(end), right)
    }
    return text
  } catch (error) {
    throw new Error(`${text}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}

const cutAll = async (run: Run): Promise<void> => {
  const { options, random, recorder, root } = run
  const operations = recorder.operations()
  const steps = Array.from({ length: options.cuts }, () => random.below(operations.length)).sort((a, b) => a - b)
  const disk = diskModel({ isOrdered: (directory) => directory.includes("store-leveldb") })
  let done = 0
  for (const [step, recorded] of operations.entries()) {
    disk.apply(recorded.operation)
    for (; steps[done] === step; done++) {
      const inProcess = options.processEvery > 0 && (done + 1) % options.processEvery === 0
      options.onCut?.(done, await tryCut(run, disk, step, recorded, inProcess))
    }
  }
  const missed = treeDifferences(disk.survivors({ bytes: "everything", names: "everything", random }), readTree(root))
  if (missed.length > 0) throw new Error(`the recorder does not see all that is done to ${missed.join(", ")}`)
}

/**
 * Records a node under load, and starts it on what a power cut may leave at any of its operations. Throws at the first
 * fault.
 */
export const cutNode = async (options: NodeCuts): Promise<void> => {
  const workplace = fs.mkdtempSync(join(tmpdir(), "lockstep-power-cut-"))
  const root = join(workplace, "root")
  fs.mkdirSync(root)
  fs.writeFileSync(join(workplace, "node.toml"), configOf(options), { mode: 0o600 })
  const recorder = makeRecorder(workplace, root)
  const answered = acknowledgements(recorder.position)
  const run: Run = {
    options,
    workplace,
    root,
    random: randomOf(options.seed),
    clean: reference(),
    recorder,
    answered,
    right: rightCoins(answered.memory),
    node: undefined
  }
  try {
    await live(run)
    await cutAll(run)
    fs.rmSync(workplace, { recursive: true })
  } catch (error) {
    run.node?.signal("SIGKILL")
    run.node?.client.close()
    await run.node?.ended.catch(() => {})
    throw new Error(
      `seed ${options.seed}: ${error instanceof Error ? error.message : String(error)} (data in ${workplace})`,
      { cause: error }
    )
  }
}
