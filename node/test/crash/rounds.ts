import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { indexLines } from "../indexes/index-lines.ts"
import { EndedWhileStarting, type Ending, type RunningNode, startNode } from "../process/node-process.ts"
import { checkAfterRestart } from "./check.ts"
import { type Memory, mine, putUnderLoad } from "./load.ts"
import { type Random, randomOf } from "./random.ts"
import { type Reference, reference } from "./reference.ts"

export const TOKEN = "crash-test-admin"

/** How a series of deaths is to go. */
export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  readonly backend: "heed3" | "leveldb"
  readonly indexes: boolean
  /** Block files are short and go when they are old, by themselves and when asked. */
  readonly prunes?: boolean
  /** Named points of a commit at which the process kills itself, in turn with random moments. */
  readonly points: ReadonlyArray<string>
  readonly onRound?: (round: number, text: string) => void
}

/** The configuration of a node that is to die. */
export const configOf = (
  { backend, indexes, prunes = false }: Pick<CrashOptions, "backend" | "indexes" | "prunes">
): string =>
  configWith(
    TOKEN,
    `[storage]`,
    `database_backend = "${backend}"`,
    `[storage.indexing]`,
    ...indexLines(() => indexes),
    ...(prunes ? [`[storage.pruning]`, `mode = "normal"`] : [])
  )

/** Blocks are pruned on regtest only behind this height; a chain that is to be pruned starts this long. */
export const PRUNED_FROM = 1000
/** So that files fill up, in bytes. */
export const SHORT_FILES = "65536"

const ignore = (): void => {}

const killAt = async (node: RunningNode, milliseconds: number): Promise<void> => {
  const timer = setTimeout(() => node.signal("SIGKILL"), milliseconds)
  await node.ended
  clearTimeout(timer)
}

/** What the rounds of a series share. */
interface Series {
  readonly options: CrashOptions
  readonly directory: string
  readonly config: string
  readonly random: Random
  readonly memory: Memory
  readonly clean: Reference
  node: RunningNode | undefined
}

const start = async (series: Series, env: Readonly<Record<string, string>> = {}): Promise<RunningNode> => {
  const { clean, config, directory, memory, options, random } = series
  const files: Record<string, string> = options.prunes === true ? { LOCKSTEP_TEST_BLOCK_FILE_BYTES: SHORT_FILES } : {}
  // Of two lives one tells every new tip before it commits the coins.
  if (random.below(2) === 0 || env["LOCKSTEP_TEST_CRASH_AT"]?.includes("early") === true) {
    files["LOCKSTEP_TEST_EARLY_CHANGES"] = "0"
  }
  series.node = undefined
  const node = await startNode(directory, { args: ["--config", config], token: TOKEN, env: { ...files, ...env } })
  series.node = node
  await checkAfterRestart(node, memory, random, clean, options.indexes)
  return node
}

const growToPrunable = async (series: Series): Promise<void> => {
  const { client, ended } = await start(series)
  // In pieces: each block is asked for while it is still there.
  for (let height = 0; height < PRUNED_FROM + 100; height += 100) await mine(client, series.memory, series.random, 100)
  await client.call("stop")
  await ended
  client.close()
}

/** Where a round's death comes from: a named point of the writes, or a moment. */
const deathOf = (
  { options: { points }, random }: Series
): { readonly at: string | undefined; readonly after: number } =>
  random.below(2) === 0 && points.length > 0
    ? { at: `${random.pick(points)}:${random.below(6) + 1}`, after: 20_000 }
    : { at: undefined, after: random.below(1500) + 1 }

/** How a node ended, if it did within a moment. */
const endingOf = (node: RunningNode | undefined): Promise<Ending | undefined> =>
  Promise.race([node?.ended, new Promise<undefined>((resolve) => setTimeout(resolve, 1000, undefined))])

/** Starts a node that kills itself at a point of its writes; none when it got there before it was looked at. */
const startUntil = async (series: Series, point: string): Promise<RunningNode | undefined> => {
  try {
    return await start(series, { LOCKSTEP_TEST_CRASH_AT: point })
  } catch (error) {
    const isKilled = error instanceof EndedWhileStarting
      ? error.signal === "SIGKILL"
      // What was written behind the last commit is taken in while the node already answers.
      : (await endingOf(series.node))?.signal === "SIGKILL"
    if (!isKilled) throw error
    series.node?.client.close()
    return undefined
  }
}

const oneRound = async (series: Series): Promise<string> => {
  const { clean, memory, options, random } = series
  const { after, at } = deathOf(series)
  const node = at === undefined ? await start(series) : await startUntil(series, at)
  if (node === undefined) return `killed at ${at} while starting`
  let dead = false
  let fault: unknown
  void node.ended.then(() => (dead = true))
  const work = { client: node.client, memory, random, clean, prunes: options.prunes ?? false }
  const load = putUnderLoad(work, () => dead).catch((error: unknown) => {
    // A call cut off by the death of the node is what this is about; anything else is a fault.
    if (!dead && !/ECONNRE|socket hang up|aborted/i.test(String(error))) fault = error
  })
  await killAt(node, after)
  await load
  node.client.close()
  if (fault !== undefined) throw fault
  return at === undefined ? `killed after ${after} ms` : `killed at ${at}`
}

const endWell = async (series: Series): Promise<void> => {
  const node = await start(series)
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  node.client.close()
  if (exitCode !== 0 || stderr !== "") throw new Error(`the last stop: exit code ${exitCode}, ${stderr}`)
}

/**
 * Lets a node die under load, starts it again and looks, round after round. Throws at the first thing that is wrong.
 */
export const crashRounds = async (options: CrashOptions): Promise<void> => {
  const root = mkdtempSync(join(tmpdir(), "lockstep-crash-"))
  const config = join(root, "node.toml")
  writeFileSync(config, configOf(options), { mode: 0o600 })
  const series: Series = {
    options,
    directory: join(root, "data"),
    config,
    random: randomOf(options.seed),
    memory: { blocks: new Map(), tips: new Set(), acknowledged: { hash: "", work: 0n } },
    clean: reference(),
    node: undefined
  }
  try {
    if (options.prunes === true) await growToPrunable(series)
    for (let round = 0; round < options.rounds; round++) options.onRound?.(round, await oneRound(series))
    await endWell(series)
    rmSync(root, { recursive: true })
  } catch (error) {
    series.node?.signal("SIGKILL")
    series.node?.client.close()
    await series.node?.ended.catch(ignore)
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`seed ${options.seed}: ${message} (data in ${root})`, { cause: error })
  }
}
