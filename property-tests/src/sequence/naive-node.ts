import { blockHash, blockWeight, type NaiveBlock } from "../oracles/block.ts"
import { toHex } from "../oracles/byte-string.ts"
import { checkBlock, checkBlockInContext } from "../oracles/check-block.ts"
import type { NaiveCoins } from "../oracles/coins.ts"
import { collectBlock, type NaiveConnection } from "../oracles/connect.ts"
import type { NaiveParameters } from "../oracles/deployments.ts"
import { checkHeader, type NaiveChain, readHeader } from "../oracles/header.ts"
import { provesWork, workOfBits } from "../oracles/target.ts"
import type { Answer } from "./answer.ts"
import { concludedOnce } from "./memo-scripts.ts"

/** What connecting a block comes to: what is said of it, and the coins afterwards. */
interface Connection {
  readonly said: string
  readonly coins: NaiveCoins
}

/** A block in its tree. `verdict` and `coins` are the outcome of connecting it, once it was asked for. */
export interface NaiveEntry {
  readonly key: string
  readonly chain: NaiveChain
  readonly hashes: ReadonlyArray<Uint8Array>
  readonly parent: NaiveEntry | undefined
  readonly work: bigint
  block: NaiveBlock | undefined
  received: number
  /** The order in which it could be connected first; −1: not yet. */
  arrival: number
  refused: boolean
  connection: Connection | undefined
}

/** A node that remembers everything and walks to the genesis block for every question. */
export interface NaiveNode {
  readonly parameters: NaiveParameters
  readonly now: number
  readonly entries: Map<string, NaiveEntry>
  tip: NaiveEntry
}

/** Damage that says nothing about the header. */
const DAMAGED: ReadonlyArray<string> = ["BLK-011", "BLK-012", "BLK-013"]

const isBad = (entry: NaiveEntry | undefined): boolean => entry !== undefined && (entry.refused || isBad(entry.parent))

export const naiveNode = (parameters: NaiveParameters, genesis: NaiveBlock, now: number): NaiveNode => {
  const header = readHeader(genesis.header)
  const hash = blockHash(genesis)
  const entry: NaiveEntry = {
    key: toHex(hash),
    chain: [header],
    hashes: [hash],
    parent: undefined,
    work: workOfBits(header.bits),
    block: genesis,
    received: 0,
    arrival: 0,
    refused: false,
    connection: { said: "OK", coins: new Map() }
  }
  return { parameters, now, entries: new Map([[entry.key, entry]]), tip: entry }
}

/** A node that knows the same and learns on its own. */
export const naiveCopy = (node: NaiveNode): NaiveNode => ({ ...node, entries: new Map(node.entries) })

/** What connecting `block` on top of `parent` comes to, by what `conclude` makes of it. */
const connected = (
  block: NaiveBlock,
  parent: NaiveEntry,
  parameters: NaiveParameters,
  conclude: (collected: NaiveConnection) => string
): Connection => {
  const { coins } = connectionOf(parent, parameters)
  const collected = collectBlock(block, { chain: parent.chain, hashes: parent.hashes, parameters }, coins)
  const rule = conclude(collected)
  const { fees, sigOpCost } = collected
  const said = rule === "OK" ? `OK fees ${fees} cost ${sigOpCost} weight ${blockWeight(block)}` : rule
  return { said, coins: rule === "OK" ? collected.coins : coins }
}

/** What connecting a block comes to, after all of its ancestors. */
export const connectionOf = (entry: NaiveEntry, parameters: NaiveParameters): Connection => {
  if (entry.connection !== undefined) return entry.connection
  const parent = entry.parent!
  if (entry.block === undefined) return { said: "no block", coins: connectionOf(parent, parameters).coins }
  entry.connection = connected(entry.block, parent, parameters, concludedOnce)
  return entry.connection
}

const acceptHeader = (node: NaiveNode, block: NaiveBlock): NaiveEntry | string => {
  const header = readHeader(block.header)
  const hash = blockHash(block)
  const key = toHex(hash)
  const known = node.entries.get(key)
  if (known !== undefined) return isBad(known) ? "known invalid" : known
  const { heights, work } = node.parameters
  if (!provesWork(hash, header.bits, work.powLimit)) return "WRK-004"
  const parent = node.entries.get(toHex(header.previous))
  if (parent === undefined) return "missing parent"
  if (isBad(parent)) return "invalid parent"
  const rule = checkHeader(header, parent.chain, node.now, work, heights)
  if (rule !== "OK") return rule
  const entry: NaiveEntry = {
    key,
    chain: [...parent.chain, header],
    hashes: [...parent.hashes, hash],
    parent,
    work: parent.work + workOfBits(header.bits),
    block: undefined,
    received: -1,
    arrival: -1,
    refused: false,
    connection: undefined
  }
  node.entries.set(key, entry)
  return entry
}

const accept = (node: NaiveNode, block: NaiveBlock): string => {
  const alone = checkBlock(block, node.parameters)
  if (alone !== "OK") return alone
  const entry = acceptHeader(node, block)
  if (typeof entry === "string") return entry
  if (entry.block !== undefined) return "known"
  const rule = checkBlockInContext(block, entry.parent!.chain, node.parameters)
  if (rule !== "OK") {
    entry.refused = !DAMAGED.includes(rule)
    return rule
  }
  entry.block = block
  entry.received = [...node.entries.values()].filter((each) => each.block !== undefined).length
  return "OK"
}

/** Numbers what can be connected now, the first received first. */
const link = ({ entries }: NaiveNode): void => {
  const all = [...entries.values()]
  for (;;) {
    const ready = all.filter((each) => each.arrival < 0 && each.block !== undefined && each.parent!.arrival >= 0)
    if (ready.length === 0) return
    const next = ready.reduce((a, b) => (b.received < a.received ? b : a))
    next.arrival = Math.max(...all.map(({ arrival }) => arrival)) + 1
  }
}

const isPreferred = (a: NaiveEntry, b: NaiveEntry): boolean =>
  a.work > b.work || (a.work === b.work && a.arrival < b.arrival)

/** From genesis to the entry. */
const pathTo = (entry: NaiveEntry): ReadonlyArray<NaiveEntry> => {
  const path: Array<NaiveEntry> = []
  for (let at: NaiveEntry | undefined = entry; at !== undefined; at = at.parent) path.push(at)
  return path.toReversed()
}

const activate = (node: NaiveNode): void => {
  for (;;) {
    const linked = [...node.entries.values()].filter((each) => each.arrival >= 0 && !isBad(each))
    const best = linked.reduce((a, b) => (isPreferred(b, a) ? b : a))
    const wrong = pathTo(best).find((each) => !connectionOf(each, node.parameters).said.startsWith("OK"))
    if (wrong === undefined) {
      node.tip = best
      return
    }
    wrong.refused = true
  }
}

/** Hands a block to the node. */
export const offerToNaive = (node: NaiveNode, block: NaiveBlock): Answer => {
  const said = accept(node, block)
  link(node)
  activate(node)
  return { said, tip: node.tip.key, coins: connectionOf(node.tip, node.parameters).coins }
}

/**
 * Puts a block on top of the tip, its scripts taken to hold: there are chains whose every signature this reading would
 * take minutes for. Answers what is said of it.
 */
export const extendNaive = (node: NaiveNode, block: NaiveBlock): string => {
  const said = accept(node, block)
  const entry = node.entries.get(toHex(blockHash(block)))
  if (said !== "OK" || entry === undefined) return said
  entry.connection = connected(block, entry.parent!, node.parameters, ({ rule }) => rule)
  if (!entry.connection.said.startsWith("OK")) return entry.connection.said
  entry.arrival = node.tip.arrival + 1
  node.tip = entry
  return "OK"
}

/** The node as it was when the block of `height` on its chain was the newest. */
export const naiveAt = (node: NaiveNode, height: number): NaiveNode => {
  const entries = new Map([...node.entries].filter(([, entry]) => entry.chain.length <= height + 1))
  return { ...node, entries, tip: [...entries.values()].at(-1)! }
}
