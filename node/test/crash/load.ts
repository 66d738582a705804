import { type RpcClient, RpcFailure } from "../process/rpc-client.ts"
import { openAddress, someSpends } from "./open-wallet.ts"
import type { Random } from "./random.ts"
import type { Reference } from "./reference.ts"

/** What is known of the blocks that a node has ever had, whether it still has them or not. */
export interface Memory {
  /** Raw blocks by hash. */
  readonly blocks: Map<string, string>
  /** Every tip that was ever seen or may have been reached. */
  readonly tips: Set<string>
  /** The last tip that an answer gave, and its chain work. */
  acknowledged: { readonly hash: string; readonly work: bigint }
}

export interface ChainInfo {
  readonly blocks: number
  readonly bestblockhash: string
  readonly chainwork: string
}

export const infoOf = async (client: RpcClient): Promise<ChainInfo> =>
  await client.call("getblockchaininfo") as ChainInfo

/** Hashes of the active chain from height 1 on. */
export const activeChain = async (client: RpcClient, height: number): Promise<ReadonlyArray<string>> => {
  const hashes: Array<string> = []
  for (let at = 1; at <= height; at++) hashes.push(await client.call("getblockhash", at) as string)
  return hashes
}

export const acknowledge = async (client: RpcClient, memory: Memory): Promise<ChainInfo> => {
  const info = await infoOf(client)
  memory.tips.add(info.bestblockhash)
  memory.acknowledged = { hash: info.bestblockhash, work: BigInt(`0x${info.chainwork}`) }
  return info
}

const remember = async (client: RpcClient, memory: Memory, hashes: ReadonlyArray<string>): Promise<void> => {
  for (const hash of hashes) {
    if (!memory.blocks.has(hash)) memory.blocks.set(hash, await client.call("getblock", hash, 0) as string)
    memory.tips.add(hash)
  }
}

/**
 * Within one second a block at the same height that pays to the same place is the same block, which may be invalidated.
 */
const isSameBlockAgain = (error: unknown): boolean =>
  error instanceof RpcFailure && error.message.includes("duplicate-invalid")

/** Blocks on top of the tip that pay to one of the open places. */
export const mine = async (client: RpcClient, memory: Memory, random: Random, blocks: number): Promise<void> => {
  for (;;) {
    try {
      const hashes = await client.call("generatetoaddress", blocks, openAddress(random)) as ReadonlyArray<string>
      return await remember(client, memory, hashes)
    } catch (error) {
      if (!isSameBlockAgain(error)) throw error
    }
  }
}

/** A block full of spends of coins that the reference knows; it must stand where the node stands. */
export const mineSpends = async (
  client: RpcClient,
  memory: Memory,
  random: Random,
  clean: Reference
): Promise<void> => {
  const info = await infoOf(client)
  await clean.follow(await activeChain(client, info.blocks), async (hash) => await blockOf(client, memory, hash))
  const transactions = someSpends(clean.store(), random, 40)
  const { hash } = await client.call("generateblock", openAddress(random), transactions) as { hash: string }
  await remember(client, memory, [hash])
}

/** Leaves the last blocks for a longer branch, and maybe comes back. */
export const fork = async (client: RpcClient, memory: Memory, random: Random): Promise<void> => {
  const { blocks } = await infoOf(client)
  if (blocks < 12) return mine(client, memory, random, 12)
  const depth = random.below(6) + 1
  const base = await client.call("getblockhash", blocks - depth) as string
  const from = await client.call("getblockhash", blocks - depth + 1) as string
  const { chainwork } = await client.call("getblockheader", base) as { chainwork: string }
  // From here on the chain may be shorter than what was answered before.
  memory.acknowledged = { hash: base, work: BigInt(`0x${chainwork}`) }
  memory.tips.add(base)
  await client.call("invalidateblock", from)
  await mine(client, memory, random, depth + random.below(3))
  await client.call("reconsiderblock", from)
}

/** Blocks that were there once and are lost, or stand on a branch, come in again, in any order. */
export const resubmit = async (client: RpcClient, memory: Memory, random: Random): Promise<void> => {
  const all = [...memory.blocks.values()]
  const start = random.below(all.length)
  for (const block of all.slice(start, start + random.below(30))) await client.call("submitblock", block)
}

export const blockOf = async (client: RpcClient, memory: Memory, hash: string): Promise<string> => {
  const known = memory.blocks.get(hash)
  if (known !== undefined) return known
  const block = await client.call("getblock", hash, 0) as string
  memory.blocks.set(hash, block)
  return block
}

/** What work for a node needs. */
export interface LoadOptions {
  readonly client: RpcClient
  readonly memory: Memory
  readonly random: Random
  readonly clean: Reference
  readonly prunes: boolean
}

/** Asks for blocks to be pruned, as far as any may be. */
export const prune = async (client: RpcClient, random: Random): Promise<void> => {
  const { blocks } = await infoOf(client)
  const height = blocks - 288 - random.below(200)
  if (height > 0) await client.call("pruneblockchain", height)
}

const oneThing = async ({ clean, client, memory, prunes, random }: LoadOptions): Promise<void> => {
  const choice = random.below(prunes ? 12 : 10)
  if (choice < 4) return mine(client, memory, random, random.below(20) + 1)
  if (choice < 7) return mineSpends(client, memory, random, clean)
  if (choice < 9) return fork(client, memory, random)
  return choice < 10 ? resubmit(client, memory, random) : prune(client, random)
}

/** Work for the node, one thing after another, until `isOver`. */
export const putUnderLoad = async (options: LoadOptions, isOver: () => boolean): Promise<void> => {
  while (!isOver()) {
    await oneThing(options)
    await acknowledge(options.client, options.memory)
  }
}
