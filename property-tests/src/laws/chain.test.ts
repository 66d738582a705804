import fc, { type Arbitrary } from "fast-check"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { assert, describe, it } from "vitest"
import { startOn } from "../../fuzz/sequence/start.ts"
import { agree } from "../agree.ts"
import { sealed, validDraft } from "../arbitraries/block-draft.ts"
import { damaged } from "../arbitraries/damage.ts"
import { decisionsOf, tapeOf } from "../arbitraries/decisions.ts"
import { check } from "../check.ts"
import { blockHash, type NaiveBlock, serializeBlock } from "../oracles/block.ts"
import { toHex } from "../oracles/byte-string.ts"
import { blockSubsidy, type NaiveCoins } from "../oracles/coins.ts"
import { readHeader } from "../oracles/header.ts"
import { kernelCopy, type KernelNode, offerToKernel, sameCoins } from "../sequence/kernel-node.ts"
import { connectionOf, naiveCopy, type NaiveEntry, type NaiveNode, offerToNaive } from "../sequence/naive-node.ts"

/** How a block comes about: how far before the newest its parent is, what it holds, what is wrong with it. */
interface Plan {
  readonly back: number
  readonly tape: ReadonlyArray<number>
  readonly damage: ReadonlyArray<number> | undefined
}

const plan: Arbitrary<Plan> = fc.record({
  back: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }) }),
  tape: tapeOf(30),
  damage: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: tapeOf(8) })
})

/** Blocks on top of the start of a network, parents first, and what the slow node makes of them. */
interface Grown {
  readonly network: number
  readonly blocks: ReadonlyArray<NaiveBlock>
  readonly naive: NaiveNode
}

/** A block on top of one of the last of `entries`, as planned. */
const blockOn = (
  entries: ReadonlyArray<NaiveEntry>,
  { back, tape, damage }: Plan,
  parameters: NaiveNode["parameters"]
): NaiveBlock => {
  const parent = entries[Math.max(0, entries.length - 1 - back)]!
  const place = { chain: parent.chain, hashes: parent.hashes, parameters }
  const { coins } = connectionOf(parent, parameters)
  const decisions = decisionsOf(tape)
  const draft = validDraft(decisions, place, coins)
  return sealed(
    decisions,
    damage === undefined ? draft : damaged(draft, { decisions: decisionsOf(damage), place, coins }),
    place
  )
}

const grow = (network: number, plans: ReadonlyArray<Plan>): Grown => {
  const naive = naiveCopy(startOn(network).naive)
  const entries = [naive.tip]
  const blocks: Array<NaiveBlock> = []
  for (const each of plans) {
    const block = blockOn(entries, each, naive.parameters)
    offerToNaive(naive, block)
    blocks.push(block)
    const entry = naive.entries.get(toHex(blockHash(block)))
    if (entry !== undefined && !entries.includes(entry)) entries.push(entry)
  }
  return { network, blocks, naive }
}

const grown: Arbitrary<Grown> = fc
  .tuple(fc.nat(1), fc.array(plan, { minLength: 1, maxLength: 9, size: "max" }))
  .map(([network, plans]) => grow(network, plans))

/** The blocks in an order that numbers choose, each behind its parent. */
const reordered = (blocks: ReadonlyArray<NaiveBlock>, order: ReadonlyArray<number>): ReadonlyArray<NaiveBlock> => {
  const left = [...blocks]
  const placed: Array<NaiveBlock> = []
  const isLeft = (hash: Uint8Array): boolean => left.some((block) => toHex(blockHash(block)) === toHex(hash))
  while (left.length > 0) {
    const ready = left.filter((block) => !isLeft(readHeader(block.header).previous))
    const next = ready[(order[placed.length] ?? 0) % ready.length]!
    left.splice(left.indexOf(next), 1)
    placed.push(next)
  }
  return placed
}

const kernelAfter = (network: number, blocks: ReadonlyArray<NaiveBlock>): KernelNode => {
  const node = kernelCopy(startOn(network).kernel, nobleCrypto)
  for (const block of blocks) offerToKernel(node, serializeBlock(block))
  return node
}

const total = (coins: NaiveCoins): bigint => [...coins.values()].reduce((sum, { value }) => sum + value, 0n)

describe("law: a node that follows the rules", () => {
  it("has the most work there is, and the coins of its chain alone, whatever came in whichever order", () => {
    const orders = fc.array(fc.nat(20), { maxLength: 10 })
    check(
      fc.property(grown, orders, orders, ({ network, blocks, naive }, first, second) => {
        const nodes = [blocks, reordered(blocks, first), reordered(blocks, second)].map((each) =>
          kernelAfter(network, each)
        )
        const valid = [...naive.entries.values()].filter((entry) =>
          connectionOf(entry, naive.parameters).said.startsWith("OK")
        )
        const isValid = (entry: NaiveEntry | undefined): boolean =>
          entry === undefined || (valid.includes(entry) && isValid(entry.parent))
        const best = valid.filter(isValid).reduce((a, b) => (b.work > a.work ? b : a))
        for (const node of nodes) {
          agree(node.faults, [])
          agree(node.tip.node.chainWork, best.work)
          assert(sameCoins(node.coins, connectionOf(naive.entries.get(node.tip.key)!, naive.parameters).coins))
        }
        const rivals = valid.filter((entry) => isValid(entry) && entry.work === best.work)
        if (rivals.length === 1) { for (const node of nodes) agree(node.tip.key, best.key) }
      }),
      80
    )
  })

  it("never holds more than the subsidies of its chain, which add up to 2,099,999,997,690,000 satoshis", () => {
    check(
      fc.property(grown, ({ network, blocks }) => {
        const node = kernelAfter(network, blocks)
        const { subsidyHalvingInterval } = node.parameters
        const heights = Array.from({ length: node.tip.node.height }, (_, i) => i + 1)
        const created = heights.reduce((sum, height) => sum + blockSubsidy(height, subsidyHalvingInterval), 0n)
        assert(total(node.coins) <= created)
      }),
      20
    )
    const halvings = Array.from({ length: 64 }, (_, i) => 210_000n * blockSubsidy(i * 210_000, 210_000))
    agree(
      halvings.reduce((sum, each) => sum + each, 0n),
      2_099_999_997_690_000n
    )
  })
})
