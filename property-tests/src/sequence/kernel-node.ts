import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import { blockIdentity, type BlockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import { isBetterChain, reorganisation } from "@lockstep/kernel/internal/chain/selection.ts"
import { collectBlock } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import { type Block, decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { blockWeight } from "@lockstep/kernel/internal/model/weight.ts"
import { createMachine, type Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { Overlay } from "@lockstep/kernel/internal/utxo/overlay.ts"
import { type BlockUndo, disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import type { Coin, UtxoView } from "@lockstep/kernel/internal/utxo/coin.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import { toHex } from "../oracles/byte-string.ts"
import { type NaiveCoin, type NaiveCoins, outPointKey, sameCoin } from "../oracles/coins.ts"
import { verdictName } from "../subject/kernel.ts"
import { changesOf } from "../subject/chain.ts"
import type { Answer } from "./answer.ts"

interface KernelEntry {
  readonly key: string
  readonly node: HeaderNode
  readonly identity: BlockIdentity
  readonly parent: KernelEntry | undefined
  block: Block | undefined
  received: number
  sequence: number
  refused: boolean
  undo: BlockUndo | undefined
}

/** A node that is the kernel's functions and a map of coins. */
export interface KernelNode {
  readonly parameters: ChainParameters
  readonly now: number
  readonly crypto: Crypto
  readonly machine: Machine
  readonly entries: Map<string, KernelEntry>
  readonly coins: Map<string, NaiveCoin>
  tip: KernelEntry
  counter: number
  readonly judged: Map<string, string>
  /** What must never happen: a block that cannot be taken back, or not to where it came from. */
  readonly faults: Array<string>
}

const NOT_OF_THE_HEADER: ReadonlyArray<string> = ["BLK-011", "BLK-012", "BLK-013"]

const decoded = (bytes: Uint8Array): Block => {
  const block = decodeBlock(bytes)
  if (block._tag === "Failure") throw new Error(`no block: ${block.failure.rule}`)
  return block.success
}

export const kernelNode = (
  parameters: ChainParameters,
  genesis: Uint8Array,
  now: number,
  crypto: Crypto
): KernelNode => {
  const block = decoded(genesis)
  const identity = blockIdentity(block, crypto)
  const entry: KernelEntry = {
    key: toHex(identity.hash),
    node: childOf(undefined, block.header, identity.hash),
    identity,
    parent: undefined,
    block,
    received: 0,
    sequence: 0,
    refused: false,
    undo: undefined
  }
  return {
    parameters,
    now,
    crypto,
    machine: createMachine(crypto),
    entries: new Map([[entry.key, entry]]),
    coins: new Map(),
    tip: entry,
    counter: 1,
    judged: new Map(),
    faults: []
  }
}

/** A node that knows the same and learns on its own, with `crypto`. */
export const kernelCopy = (node: KernelNode, crypto: Crypto): KernelNode => ({
  ...node,
  crypto,
  machine: createMachine(crypto),
  entries: new Map(node.entries),
  coins: new Map(node.coins),
  judged: new Map(),
  faults: []
})

const viewOf = (coins: NaiveCoins): UtxoView => ({ coinAt: ({ txid, vout }) => coins.get(outPointKey(txid, vout)) })

const applyTo = (coins: Map<string, Coin>, overlay: Overlay): void => {
  for (const [key, , after] of changesOf(overlay)) {
    if (after === undefined) coins.delete(key)
    else coins.set(key, after)
  }
}

/** The same coins at the same outpoints. */
export const sameCoins = (a: NaiveCoins, b: NaiveCoins): boolean =>
  a.size === b.size && [...a].every(([key, coin]) => sameCoin(coin, b.get(key)))

const isBad = (entry: KernelEntry | undefined): boolean => entry !== undefined && (entry.refused || isBad(entry.parent))

const acceptHeader = (node: KernelNode, block: Block, identity: BlockIdentity): KernelEntry | string => {
  const { entries, now, parameters } = node
  const key = toHex(identity.hash)
  const known = entries.get(key)
  if (known !== undefined) return isBad(known) ? "known invalid" : known
  const work = proofOfWork(identity.hash, block.header.bits, parameters.work.powLimit)
  if (work._tag === "Failure") return work.failure.rule
  const parent = entries.get(toHex(block.header.previous))
  if (parent === undefined) return "missing parent"
  if (isBad(parent)) return "invalid parent"
  const header = checkHeader(block.header, parent.node, now, parameters)
  if (header._tag === "Failure") return header.failure.rule
  const entry: KernelEntry = {
    key,
    node: childOf(parent.node, block.header, identity.hash),
    identity,
    parent,
    block: undefined,
    received: -1,
    sequence: -1,
    refused: false,
    undo: undefined
  }
  entries.set(key, entry)
  return entry
}

const accept = (node: KernelNode, block: Block): string => {
  const { crypto, parameters } = node
  const identity = blockIdentity(block, crypto)
  const alone = checkBlock(block, identity, parameters, crypto)
  if (alone._tag === "Failure") return alone.failure.rule
  const entry = acceptHeader(node, block, identity)
  if (typeof entry === "string") return entry
  if (entry.block !== undefined) return "known"
  const rule = verdictName(checkBlockInContext(block, identity, entry.parent!.node, parameters, crypto))
  if (rule !== "OK") {
    entry.refused = !NOT_OF_THE_HEADER.includes(rule)
    return rule
  }
  entry.block = block
  entry.received = node.counter++
  return "OK"
}

const link = (node: KernelNode): void => {
  const waiting = [...node.entries.values()]
    .filter((each) => each.sequence < 0 && each.block !== undefined)
    .toSorted((a, b) => a.received - b.received)
  for (;;) {
    const next = waiting.find((each) => each.sequence < 0 && each.parent!.sequence >= 0)
    if (next === undefined) return
    next.sequence = node.counter++
  }
}

const disconnected = (node: KernelNode, entry: KernelEntry, undo: BlockUndo): Overlay | undefined => {
  const { hash, transactionIds } = entry.identity
  const seed = new DataView(hash.buffer, hash.byteOffset).getInt32(4, true)
  const verdict = disconnectBlock(entry.block!, transactionIds, entry.node.height, undo, viewOf(node.coins), seed)
  if (verdict._tag === "Success") return verdict.success
  node.faults.push(`block cannot be taken back: ${verdict.failure.rule}`)
  return undefined
}

const connect = (node: KernelNode, entry: KernelEntry): string => {
  const { coins, machine, parameters } = node
  const collected = collectBlock(entry.block!, entry.node, entry.identity, parameters, viewOf(coins))
  const failed = collected.jobs.map((job) => judgeScripts(machine, job)).find((each) => each._tag === "Failure")
  const verdict = concludeBlock(collected, failed?._tag === "Failure" ? failed.failure : undefined)
  if (verdict._tag === "Failure") return verdict.failure.rule
  const before = new Map(coins)
  const { delta, fees, sigOpCost, undo } = verdict.success
  applyTo(coins, delta)
  entry.undo = undo
  const back = disconnected(node, entry, undo)
  if (back !== undefined) {
    const restored = new Map<string, NaiveCoin>(coins)
    applyTo(restored, back)
    if (!sameCoins(restored, before)) node.faults.push("taking a block back leaves other coins than there were")
  }
  return `OK fees ${fees} cost ${sigOpCost} weight ${blockWeight(entry.block!)}`
}

const goTo = (node: KernelNode, best: KernelEntry): void => {
  const path = reorganisation(node.tip.node, best.node)
  for (const each of path.disconnect) {
    const entry = node.entries.get(toHex(each.hash))!
    const overlay = disconnected(node, entry, entry.undo!)
    if (overlay !== undefined) applyTo(node.coins, overlay)
    node.tip = entry.parent!
  }
  for (const each of path.connect) {
    const entry = node.entries.get(toHex(each.hash))!
    const said = connect(node, entry)
    node.judged.set(entry.key, said)
    if (!said.startsWith("OK")) {
      entry.refused = true
      return
    }
    node.tip = entry
  }
}

const activate = (node: KernelNode): void => {
  for (;;) {
    const linked = [...node.entries.values()].filter((each) => each.sequence >= 0 && !isBad(each))
    const best = linked.reduce((a, b) => (isBetterChain(b, a) ? b : a))
    if (best === node.tip) return
    goTo(node, best)
  }
}

/** Hands the bytes of a block to the node. Precondition: a block decodes from them. */
export const offerToKernel = (node: KernelNode, bytes: Uint8Array): Answer => {
  node.judged.clear()
  const said = accept(node, decoded(bytes))
  link(node)
  activate(node)
  return { said, tip: node.tip.key, coins: node.coins }
}

/** The node as it was when the block of `height` on its only chain was the newest, which left `coins`. */
export const kernelAt = (node: KernelNode, height: number, coins: NaiveCoins, crypto: Crypto): KernelNode => {
  const entries = new Map([...node.entries].filter(([, entry]) => entry.node.height <= height))
  const copy = kernelCopy({ ...node, entries, coins: new Map(coins) }, crypto)
  copy.tip = [...entries.values()].at(-1)!
  return copy
}
