import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { blockHash, serializeBlock } from "../../src/oracles/block.ts"
import type { NaiveParameters } from "../../src/oracles/deployments.ts"
import { requiredBits } from "../../src/oracles/header.ts"
import { coinbaseOf, blockOf } from "../../src/sequence/make-block.ts"
import { type KernelNode, kernelNode, offerToKernel } from "../../src/sequence/kernel-node.ts"
import { type NaiveNode, naiveNode, offerToNaive } from "../../src/sequence/naive-node.ts"
import { EASIEST_BITS, EASY_NETWORK, FROM_THE_FIRST, GENESIS_TIME } from "../../src/sequence/network.ts"
import { kernelParameters } from "../../src/subject/chain.ts"

/** Blocks there are before a sequence begins: six coinbases are old enough to be spent. */
const BASE_HEIGHT = 105

const NEVER = 1_000_000_000
const { work } = EASY_NETWORK

/**
 * Everything in force; deployments that come one after another, with retargets; none, with coinbases that come up
 * again.
 */
const NETWORKS: ReadonlyArray<NaiveParameters> = [
  EASY_NETWORK,
  {
    ...EASY_NETWORK,
    work: { ...work, noRetargeting: false, bip94: true, allowMinDifficulty: true },
    heights: { bip34: 107, bip66: 108, bip65: 109, csv: 110, segwit: 111 },
    // The first block after the start is the first of its subsidy.
    subsidyHalvingInterval: 53
  },
  {
    ...EASY_NETWORK,
    work: { ...work, noRetargeting: false },
    heights: { bip34: NEVER, bip66: NEVER, bip65: NEVER, csv: NEVER, segwit: NEVER }
  },
  { ...EASY_NETWORK, heights: { ...FROM_THE_FIRST, bip34: 104 } }
]

export const NETWORK_COUNT = NETWORKS.length

/** Both nodes with the blocks that every sequence starts from. */
export interface Start {
  readonly naive: NaiveNode
  readonly kernel: KernelNode
  readonly parameters: NaiveParameters
  readonly now: number
}

/** In networks that know no BIP34 the last but one coinbase of the start is the one before it once more. */
const repeats = (parameters: NaiveParameters, height: number): boolean =>
  parameters.heights.bip34 === NEVER && height === BASE_HEIGHT - 1

const coinbaseFor = (height: number): ReturnType<typeof coinbaseOf> =>
  coinbaseOf(
    height,
    Array.from({ length: 4 }, () => ({ value: 600_000_000n, script: Uint8Array.of(0x51) })),
    new Uint8Array(4)
  )

const started = (given: NaiveParameters): Start => {
  const genesis = blockOf({ version: 4, previous: new Uint8Array(32), time: GENESIS_TIME, bits: EASIEST_BITS }, [
    coinbaseFor(0)
  ])
  const now = GENESIS_TIME + (BASE_HEIGHT + 12) * 700
  // Known only once the block is made; both readings look into this one list.
  const repeated: Array<{ readonly height: number; readonly hash: Uint8Array }> = []
  const parameters = { ...given, genesisHash: blockHash(genesis), repeatedCoinbases: repeated }
  const naive = naiveNode(parameters, genesis, now)
  const kernel = kernelNode(kernelParameters(parameters), serializeBlock(genesis), now, nobleCrypto)
  for (let height = 1; height <= BASE_HEIGHT; height++) {
    const time = GENESIS_TIME + height * 700
    const { chain, hashes } = naive.tip
    const header = { version: 4, previous: hashes.at(-1)!, time, bits: requiredBits(chain, time, parameters.work) }
    const block = blockOf(header, [coinbaseFor(repeats(parameters, height) ? height - 1 : height)])
    if (repeats(parameters, height)) repeated.push({ height, hash: blockHash(block) })
    const said = [offerToNaive(naive, block).said, offerToKernel(kernel, serializeBlock(block)).said]
    const tips = [naive.tip.chain.length - 1, kernel.tip.node.height].filter((tip) => tip !== height)
    const wrong = [
      ...said.filter((each) => each !== "OK"),
      ...kernel.faults,
      ...tips.map((tip) => `the tip is block ${tip}`)
    ]
    if (wrong.length > 0) throw new Error(`the start cannot be made, block ${height}: ${wrong.join(", ")}`)
  }
  return { naive, kernel, parameters, now }
}

const starts = new Map<number, Start>()

/** The start on network `index`, made once. */
export const startOn = (index: number): Start => {
  const start = starts.get(index) ?? started(NETWORKS[index]!)
  starts.set(index, start)
  return start
}
