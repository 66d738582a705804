import type { HeaderNode } from "@lockstep/kernel/internal/chain/header-node.ts"

/** What is known of the end of a chain whose beginning is not at hand. */
export interface ChainEnd {
  readonly height: number
  /** Of the last block, in wire order. */
  readonly hash: Uint8Array
  readonly bits: number
  /** Time of the first block of the difficulty period. */
  readonly periodStart: number
  /** Times of the last blocks, oldest first. */
  readonly times: ReadonlyArray<number>
  readonly chainWork: bigint
}

const PERIOD = 2016
const NOTHING = new Uint8Array(0)
const NO_HASH = new Uint8Array(32)

const link = (parent: HeaderNode | undefined, height: number, time: number, bits: number): HeaderNode => ({
  header: { bytes: NOTHING, version: 0, previous: NO_HASH, merkleRoot: NO_HASH, time, bits, nonce: 0 },
  hash: NO_HASH,
  height,
  parent,
  // Skipping one block at a time finds every ancestor that is there.
  skip: parent,
  chainWork: 0n
})

/**
 * The last header of a chain that has the known facts; what is not known has the period's first time. It reaches back
 * to the start of its period and over all known times; below that there is nothing but `base`, or a stand-in at height
 * 0.
 */
export const detachedChain = (
  { bits, chainWork, hash, height, periodStart, times }: ChainEnd,
  base?: HeaderNode
): HeaderNode => {
  const firstKnown = height - times.length + 1
  let node = base ?? link(undefined, 0, periodStart, bits)
  const start = Math.max(Math.min(height - height % PERIOD, firstKnown), node.height + 1)
  for (let at = start; at <= height; at++) {
    node = link(node, at, at < firstKnown ? periodStart : times[at - firstKnown]!, bits)
  }
  return { ...node, hash, chainWork }
}

/** Headers whose median is the median time past. */
const MEDIAN_SPAN = 11

/** A header of which nothing but height and median time past is known, on top of `base` where there is one. */
export const headerAt = (
  height: number,
  medianTime: number,
  bits: number,
  hash: Uint8Array,
  base?: HeaderNode
): HeaderNode =>
  detachedChain(
    {
      height,
      hash,
      bits,
      periodStart: medianTime,
      times: Array.from({ length: MEDIAN_SPAN }, () => medianTime),
      chainWork: 0n
    },
    base
  )
