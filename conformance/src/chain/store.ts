import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import type { ChainParameters } from "@lockstep/kernel/internal/parameters/chain-parameters.ts"
import { childOf, type HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"
import { type Block, decodeBlock } from "@lockstep/kernel/internal/model/block.ts"
import { type Header, headerOf } from "@lockstep/kernel/internal/model/header.ts"
import { blockHash } from "@lockstep/kernel/internal/model/identity.ts"
import { createMachine, type Machine } from "@lockstep/kernel/internal/machine/machine.ts"
import type { BlockUndo } from "@lockstep/kernel/internal/utxo/undo.ts"
import * as Result from "effect/Result"
import { displayHexOf } from "../formats/hex.ts"
import { type CoinSet, coinSet } from "./coin-set.ts"

/**
 * A block that has arrived. What it takes to have it again is kept, not the block: a chain of large ones fits no
 * memory.
 */
export interface StoredBlock {
  readonly load: () => Block
  readonly transactions: number
}

/** A header of the tree, and what is known about its block. */
export interface Entry {
  readonly node: HeaderNode
  readonly parent: Entry | undefined
  readonly children: Array<Entry>
  block: StoredBlock | undefined
  /** Which block came earlier: the smaller number. Headers may have come in another order. */
  arrival: number
  /** Its block and those of all its ancestors are there. */
  linked: boolean
  /** It, or an ancestor, was found or declared invalid. */
  invalid: boolean
  /** It has been connected once, so its scripts hold. */
  connected: boolean
  /** Which of two chains with equal work was seen first: the smaller number. */
  sequence: number
  /** There while the block is part of the active chain. */
  undo: BlockUndo | undefined
}

/** A node's consensus state, in memory: the tree of headers, the blocks, the coins at the tip. */
export interface Store {
  parameters: ChainParameters
  readonly crypto: Crypto
  readonly machine: Machine
  readonly entries: Map<string, Entry>
  readonly coins: CoinSet
  readonly genesis: Entry
  tip: Entry
  /** The clock, in Unix seconds. */
  now: number
  nextSequence: number
  nextArrival: number
  /** Counts down: a block made precious comes before all that arrived. */
  nextPrecious: number
  preciousWork: bigint
}

/** Sequence numbers of blocks that were there when the node started: those of the active chain come before others. */
export const SEQUENCE_OF_TIP_AT_START = 0
export const SEQUENCE_AT_START = 1

/** The entry of the header with this hash. */
export const entryOf = (store: Store, hash: Uint8Array): Entry | undefined => store.entries.get(displayHexOf(hash))

/** Adds a header to the tree. */
export const addHeader = (
  entries: Map<string, Entry>,
  parent: Entry | undefined,
  header: Header,
  hash: Uint8Array
): Entry => {
  // The header alone: a view would keep the whole block it was decoded from.
  const node = childOf(parent?.node, headerOf(new Uint8Array(header.bytes)), hash)
  const entry: Entry = {
    node,
    parent,
    children: [],
    block: undefined,
    arrival: 0,
    linked: false,
    invalid: false,
    connected: false,
    sequence: 0,
    undo: undefined
  }
  parent?.children.push(entry)
  entries.set(displayHexOf(hash), entry)
  return entry
}

/** A chain of nothing but its genesis block, at the time `now`. */
export const createStore = (
  parameters: ChainParameters,
  genesisBlock: Uint8Array,
  now: number,
  crypto: Crypto
): Store => {
  const block = Result.getOrThrow(decodeBlock(genesisBlock))
  const entries = new Map<string, Entry>()
  const genesis = addHeader(entries, undefined, block.header, blockHash(block.header, crypto))
  genesis.block = { load: () => block, transactions: block.transactions.length }
  genesis.linked = true
  genesis.connected = true
  genesis.sequence = SEQUENCE_OF_TIP_AT_START
  return {
    parameters,
    crypto,
    machine: createMachine(crypto),
    entries,
    coins: coinSet(),
    genesis,
    tip: genesis,
    now,
    nextSequence: SEQUENCE_AT_START + 1,
    nextArrival: 1,
    nextPrecious: -1,
    preciousWork: 0n
  }
}

/** `entry` and everything on top of it, parents first. */
export const withDescendants = (entry: Entry): ReadonlyArray<Entry> => {
  const found = [entry]
  // Grows while it is walked.
  for (const each of found) found.push(...each.children)
  return found
}

/** Whether `entry` is part of the active chain. */
export const isActive = (store: Store, entry: Entry): boolean => {
  let at: Entry | undefined = store.tip
  while (at !== undefined && at.node.height > entry.node.height) at = at.parent
  return at === entry
}
