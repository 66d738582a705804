import { childOf, type HeaderNode } from "@lockstep/kernel/chain"
import { blockHash, decodeBlock } from "@lockstep/kernel/model"
import { expandTarget, hashNumber } from "@lockstep/kernel/work"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Result from "effect/Result"
import { assembleBlock, setNonce } from "../../src/engine/mining/block-assembly.ts"
import { testCrypto } from "./test-engine.ts"

/** The time of all planted blocks, as far as rules let them have it. */
export const PLANTED_AT = 1_700_000_000

export interface Planned {
  readonly node: HeaderNode
  readonly bytes: Uint8Array
}

export type Random = () => number

export const pick = <A>(items: ReadonlyArray<A>, random: Random): A => items[Math.floor(random() * items.length)]!

/** A block with proof of work on top of `parent`; `fees` are claimed, though there are none. */
export const plantOn = (parent: HeaderNode, tag: number, fees = 0n, version = 0x20000000): Planned => {
  const contents = { script: Uint8Array.of(0x51, tag & 0x7f, 0x75), transactions: [], fees, now: PLANTED_AT, version }
  let block = assembleBlock(parent, contents, REGTEST.parameters, testCrypto)
  const target = expandTarget(block.header.bits)!
  for (let nonce = 0; hashNumber(blockHash(block.header, testCrypto)) > target; nonce++) block = setNonce(block, nonce)
  const node = childOf(parent, block.header, blockHash(block.header, testCrypto))
  return { node, bytes: block.bytes.slice() }
}

/** The genesis block of regtest, on which all others stand. */
export const plantedRoot = (): HeaderNode => {
  const { header } = Result.getOrThrow(decodeBlock(REGTEST.genesisBlock))
  return childOf(undefined, header, blockHash(header, testCrypto))
}

/** A tree of blocks, one in ten of which claims a satoshi too much, with branches of equal work. */
export const plant = (count: number, random: Random): ReadonlyArray<Planned> => {
  const planned: Array<Planned> = []
  const nodes = [plantedRoot()]
  for (let i = 0; i < count; i++) {
    const parent = random() < 0.7 ? nodes.at(-1)! : pick(nodes, random)
    const next = plantOn(parent, i, random() < 0.1 ? 1n : 0n)
    nodes.push(next.node)
    planned.push(next)
  }
  return planned
}

/** `count` blocks one on another, the first on top of `parent`. */
export const plantChain = (parent: HeaderNode, count: number, tag = 0): ReadonlyArray<Planned> => {
  const planned: Array<Planned> = []
  for (let i = 0; i < count; i++) planned.push(plantOn(planned.at(-1)?.node ?? parent, tag + i))
  return planned
}
