import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { INDEXES } from "../../src/engine/options/index-switches.ts"
import { configWith } from "../process/config-with.ts"
import { indexLines } from "../indexes/index-lines.ts"
import { acknowledge, activeChain, blockOf, infoOf, type Memory, mine, mineSpends } from "../crash/load.ts"
import type { Random } from "../crash/random.ts"
import { type Reference, reference } from "../crash/reference.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"

export const TOKEN = "fault-test-admin"

/** What the rounds of a series stand on. */
export interface SeriesOptions {
  readonly backend: "heed3" | "leveldb"
  readonly indexes: boolean
  readonly prunes: boolean
}

/** A data directory after a clean stop, and what is known of its chain. */
export interface Sample extends SeriesOptions {
  readonly directory: string
  readonly config: string
  /** Its blocks, in files with a key, for an import. */
  readonly blocks: string
  readonly memory: Memory
  readonly clean: Reference
}

export const seriesName = ({ backend, indexes, prunes }: SeriesOptions): string =>
  `${backend}${indexes ? ", indexes" : ""}${prunes ? ", pruned" : ""}`

/** Several files even of a short chain, and such that can be pruned. */
const FILE_BYTES = "65536"
export const environmentOf = (): Readonly<Record<string, string>> => ({ LOCKSTEP_TEST_BLOCK_FILE_BYTES: FILE_BYTES })

const HEIGHT = 104
/** Blocks are pruned on regtest only behind this height. */
const PRUNED_FROM = 1000

const configText = ({ backend, indexes, prunes }: SeriesOptions): string =>
  configWith(
    TOKEN,
    `[storage]`,
    `database_backend = "${backend}"`,
    // So that a disk which says that it is full is met where it says so.
    `min_free_disk_mb = 0`,
    `[storage.indexing]`,
    ...indexLines((each) => indexes && !(prunes && INDEXES[each].readsBlocks)),
    // By hand: a scenario says when.
    ...(prunes ? [`[storage.pruning]`, `mode = "manual"`] : [])
  )

const stop = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  node.client.close()
  if (exitCode !== 0 || stderr !== "") throw new Error(`the sample did not stop well: ${exitCode} ${stderr}`)
}

/** The same memory, for a round of its own. */
export const copyOfMemory = ({ acknowledged, blocks, tips }: Memory): Memory => ({
  acknowledged,
  blocks: new Map(blocks),
  tips: new Set(tips)
})

/** Builds a sample in `root`. */
export const makeSample = async (root: string, options: SeriesOptions, random: Random): Promise<Sample> => {
  mkdirSync(root, { recursive: true })
  const [directory, config] = [join(root, "data"), join(root, "node.toml")]
  writeFileSync(config, configText(options), { mode: 0o600 })
  const memory: Memory = { blocks: new Map(), tips: new Set(), acknowledged: { hash: "", work: 0n } }
  const clean = reference()
  const node = await startNode(directory, { args: ["--config", config], token: TOKEN, env: environmentOf() })
  const { client } = node
  for (let height = 0; height < (options.prunes ? PRUNED_FROM + 100 : HEIGHT); height += 52) {
    await mine(client, memory, random, 52)
  }
  for (let i = 0; i < 4; i++) await mineSpends(client, memory, random, clean)
  const { blocks } = await infoOf(client)
  await clean.follow(await activeChain(client, blocks), (hash) => blockOf(client, memory, hash))
  await acknowledge(client, memory)
  await stop(node)
  cpSync(join(directory, "regtest", "blocks"), join(root, "blocks"), { recursive: true })
  return { ...options, directory, config, blocks: join(root, "blocks"), memory, clean }
}
