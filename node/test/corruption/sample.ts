import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { configWith } from "../process/config-with.ts"
import { indexLines } from "../indexes/index-lines.ts"
import { OPEN_ADDRESS, openAddress, someSpends } from "../crash/open-wallet.ts"
import { type Random, randomOf } from "../crash/random.ts"
import { type Reference, reference } from "../crash/reference.ts"
import { type RunningNode, startNode } from "../process/node-process.ts"
import type { RpcClient } from "../process/rpc-client.ts"

export const TOKEN = "corruption-admin"

/** Several block files even of a short chain. */
export const ENVIRONMENT: Readonly<Record<string, string>> = { LOCKSTEP_TEST_BLOCK_FILE_BYTES: "100000" }

/** A chain state: its tip, and the MuHash of its coins as a clean node in memory computes it. */
export interface Stand {
  readonly tip: string
  readonly height: number
  readonly muhash: string
}

/** Blocks that lead from one stand to the next. */
export interface Step {
  /** Raw, in hex. */
  readonly blocks: ReadonlyArray<string>
  readonly to: Stand
}

export interface SampleOptions {
  readonly backend: "heed3" | "leveldb"
  readonly indexes: boolean
  readonly seed: number
  /** Blocks before spending starts: at least 101. */
  readonly height?: number
  /** Blocks full of spends. */
  readonly spends?: number
}

/** A data directory after a clean stop, and what is known of its chain. */
export interface Sample extends SampleOptions {
  readonly directory: string
  readonly config: string
  readonly stand: Stand
  /** Raw blocks by height; none at 0. */
  readonly blocks: ReadonlyArray<string>
  /** Blocks that spend coins of the sample, then a longer branch that leaves the chain below the sample's tip. */
  readonly after: ReadonlyArray<Step>
}

const hashAt = async (client: RpcClient, height: number): Promise<string> =>
  await client.call("getblockhash", height) as string

const hashesTo = async (client: RpcClient): Promise<ReadonlyArray<string>> => {
  const height = await client.call("getblockcount") as number
  const hashes: Array<string> = []
  for (let at = 1; at <= height; at++) hashes.push(await hashAt(client, at))
  return hashes
}

const rawBlock = async (client: RpcClient, hash: string): Promise<string> =>
  await client.call("getblock", hash, 0) as string

const mine = async (client: RpcClient, blocks: number, random: Random): Promise<void> => {
  await client.call("generatetoaddress", blocks, openAddress(random))
}

const mineSpends = async (client: RpcClient, clean: Reference, random: Random): Promise<void> => {
  await clean.follow(await hashesTo(client), (hash) => rawBlock(client, hash))
  await client.call("generateblock", openAddress(random), someSpends(clean.store(), random, 25))
}

const standOf = async (client: RpcClient, clean: Reference): Promise<Stand> => {
  const hashes = await hashesTo(client)
  await clean.follow(hashes, (hash) => rawBlock(client, hash))
  return { tip: hashes.at(-1)!, height: hashes.length, muhash: clean.muHash() }
}

const stop = async (node: RunningNode): Promise<void> => {
  await node.client.call("stop")
  const { exitCode, stderr } = await node.ended
  node.client.close()
  if (exitCode !== 0 || stderr !== "") throw new Error(`the sample did not stop well: ${exitCode} ${stderr}`)
}

const rawFrom = async (client: RpcClient, height: number): Promise<ReadonlyArray<string>> => {
  const hashes = await hashesTo(client)
  return Promise.all(hashes.slice(height - 1).map((hash) => rawBlock(client, hash)))
}

const configText = ({ backend, indexes }: SampleOptions): string =>
  configWith(
    TOKEN,
    `[storage]`,
    `database_backend = "${backend}"`,
    `[storage.indexing]`,
    ...indexLines(() => indexes)
  )

/** How far below the sample's tip the branch leaves it. */
const FORK_DEPTH = 5

const futureOf = async (
  node: RunningNode,
  clean: Reference,
  random: Random,
  stand: Stand
): Promise<ReadonlyArray<Step>> => {
  const { client } = node
  for (let i = 0; i < 5; i++) {
    await mineSpends(client, clean, random)
    await mine(client, 1, random)
  }
  const forward: Step = { blocks: await rawFrom(client, stand.height + 1), to: await standOf(client, clean) }
  await client.call("invalidateblock", await hashAt(client, stand.height - FORK_DEPTH + 1))
  // Elsewhere than the blocks it stands in for: in the same second they would be the same blocks.
  await client.call("setmocktime", Math.floor(Date.now() / 1000) + 600)
  await mine(client, FORK_DEPTH + 10 - 1, random)
  await mineSpends(client, clean, random)
  await mine(client, 2, random)
  return [forward, { blocks: await rawFrom(client, stand.height - FORK_DEPTH + 1), to: await standOf(client, clean) }]
}

/** Builds a sample in `root`. */
export const makeSample = async (root: string, options: SampleOptions): Promise<Sample> => {
  mkdirSync(root, { recursive: true })
  const [directory, config, workplace] = [join(root, "data"), join(root, "node.toml"), join(root, "future")]
  writeFileSync(config, configText(options), { mode: 0o600 })
  const random = randomOf(options.seed)
  const clean = reference()
  const start = (place: string): Promise<RunningNode> =>
    startNode(place, { args: ["--config", config], token: TOKEN, env: ENVIRONMENT })

  const first = await start(directory)
  await first.client.call("generatetoaddress", options.height ?? 120, OPEN_ADDRESS)
  for (let i = 0; i < (options.spends ?? 30); i++) await mineSpends(first.client, clean, random)
  await stop(first)
  // Stores that keep what is new apart have some of both after this.
  const second = await start(directory)
  for (let i = 0; i < 3; i++) await mineSpends(second.client, clean, random)
  await mine(second.client, 10, random)
  const stand = await standOf(second.client, clean)
  const blocks = await rawFrom(second.client, 1)
  await stop(second)

  cpSync(directory, workplace, { recursive: true })
  const third = await start(workplace)
  const after = await futureOf(third, clean, random, stand)
  await stop(third)
  rmSync(workplace, { recursive: true })
  return { ...options, directory, config, stand, blocks, after }
}
