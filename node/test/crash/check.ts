import { filterFault } from "../process/filters-agree.ts"
import type { RpcClient } from "../process/rpc-client.ts"
import type { RunningNode } from "../process/node-process.ts"
import { activeChain, blockOf, type ChainInfo, infoOf, type Memory } from "./load.ts"
import type { Random } from "./random.ts"
import type { Reference } from "./reference.ts"

interface SetInfo {
  readonly height: number
  readonly bestblock: string
  readonly muhash: string
  readonly txouts: number
}

interface IndexInfo {
  readonly synced: boolean
  readonly best_block_height: number
}

const demand = (holds: boolean, message: string): void => {
  if (!holds) throw new Error(message)
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

const untilIndexed = async (client: RpcClient, height: number): Promise<void> => {
  for (let tries = 0; tries < 500; tries++) {
    const indexes = Object.values(await client.call("getindexinfo") as Record<string, IndexInfo>)
    if (indexes.every(({ best_block_height: at, synced }) => synced && at === height)) return
    await pause(20)
  }
  throw new Error("the indexes do not reach the tip")
}

const indexesAgree = async (
  client: RpcClient,
  memory: Memory,
  random: Random,
  clean: Reference,
  height: number
): Promise<void> => {
  await untilIndexed(client, height)
  const indexed = await client.call("gettxoutsetinfo", "muhash", null, true) as SetInfo
  demand(
    indexed.muhash === clean.muHash(),
    `the statistics index says ${indexed.muhash}, the clean node ${clean.muHash()}`
  )
  if (height === 0) return
  const { pruneheight: lowest = 0 } = await client.call("getblockchaininfo") as { readonly pruneheight?: number }
  const first = Math.max(1, lowest)
  const hasTransactions = "txindex" in (await client.call("getindexinfo") as Record<string, IndexInfo>)
  for (let i = 0; i < 3; i++) {
    const hash = await client.call("getblockhash", first + random.below(height + 1 - first)) as string
    if (!memory.blocks.has(hash)) continue
    const fault = await filterFault((method, ...params) => client.call(method, ...params), hash)
    demand(fault === undefined, fault ?? "")
    if (!hasTransactions) continue
    const { tx } = await client.call("getblock", hash, 1) as { tx: ReadonlyArray<string> }
    const found = await client.call("getrawtransaction", random.pick(tx), 1) as { blockhash: string }
    demand(found.blockhash === hash, `the transaction index puts a transaction of ${hash} into ${found.blockhash}`)
  }
}

/**
 * The tip and the coins there; the clean node has followed. Blocks that stood behind the last commit are taken in while
 * the node already answers, so the tip may move between two questions: then both are asked again.
 */
const coinsAtTip = async (
  client: RpcClient,
  memory: Memory,
  clean: Reference
): Promise<{ readonly info: ChainInfo; readonly set: SetInfo }> => {
  for (let tries = 1;; tries++) {
    const info = await infoOf(client)
    const chain = await activeChain(client, info.blocks)
    await clean.follow(chain, (each) => blockOf(client, memory, each))
    const set = await client.call("gettxoutsetinfo", "muhash", null, false) as SetInfo
    if (set.bestblock === info.bestblockhash || tries === 20) return { info, set }
    await pause(100)
  }
}

/**
 * What must hold after any death: the node came back by itself, with a tip that was committed and is no worse than what
 * it had answered, with exactly the coins a clean node has there, and with indexes that say the same.
 */
export const checkAfterRestart = async (
  node: RunningNode,
  memory: Memory,
  random: Random,
  clean: Reference,
  indexes: boolean
): Promise<void> => {
  const { client } = node
  demand(!/rebuild|reindex/i.test(node.stdout()), `the node rebuilt something:\n${node.stdout()}`)
  demand(node.stderr() === "", `the node complained:\n${node.stderr()}`)
  const { info, set } = await coinsAtTip(client, memory, clean)
  const { hash, work } = memory.acknowledged
  demand(
    info.bestblockhash === hash || BigInt(`0x${info.chainwork}`) >= work,
    `an answered tip is lost: ${hash} was reported, ${info.bestblockhash} (height ${info.blocks}) is there`
  )
  demand(set.bestblock === info.bestblockhash, `the coins belong to ${set.bestblock}, the tip is ${info.bestblockhash}`)
  const right = clean.muHash()
  demand(
    set.muhash === right,
    `height ${info.blocks}: the coins hash to ${set.muhash}, those of a clean node to ${right}`
  )
  if (indexes) await indexesAgree(client, memory, random, clean, info.blocks)
  demand(await client.call("verifychain", 4, 6) === true, "verifychain 4 6 finds a fault")
}
