import type { Crypto } from "@lockstep/kernel/internal/crypto/crypto.ts"
import { blockHash, type NaiveBlock, parseBlock, serializeBlock } from "../../src/oracles/block.ts"
import { type NaiveHeader, readHeader, requiredBits, serializeHeader } from "../../src/oracles/header.ts"
import { type KernelNode, kernelAt, kernelNode, offerToKernel, sameCoins } from "../../src/sequence/kernel-node.ts"
import { mined } from "../../src/sequence/make-block.ts"
import { connectionOf, extendNaive, naiveAt, type NaiveNode, naiveNode } from "../../src/sequence/naive-node.ts"
import { EASIEST_BITS } from "../../src/sequence/network.ts"
import { kernelParameters } from "../../src/subject/chain.ts"
import { REAL_NETWORKS, type RealNetwork } from "./real-network.ts"

/** Both nodes with the whole of a real chain, and the blocks as they were. */
interface Whole {
  readonly network: RealNetwork
  readonly naive: NaiveNode
  readonly kernel: KernelNode
  readonly blocks: ReadonlyArray<NaiveBlock>
}

/** Both nodes with the first blocks of a real chain. */
export type RealStart = Whole

/** The header as it is where it has work on its parent as it stands, mined otherwise. */
export const realHeader = (real: NaiveHeader, header: Omit<NaiveHeader, "nonce">, minable: boolean): Uint8Array => {
  const asItWas = serializeHeader({ ...header, nonce: real.nonce })
  const isReal = Buffer.compare(asItWas, serializeHeader(real)) === 0
  return isReal || !minable ? asItWas : mined({ ...header, nonce: real.nonce })
}

const parsed = (bytes: Uint8Array): NaiveBlock => {
  const block = parseBlock(bytes)
  if (typeof block === "string") throw new Error(`no block of a real chain: ${block}`)
  return block
}

/** Whether the chain is mined again, from its genesis on. */
const isMinedAgain = ({ minable, of }: RealNetwork): boolean => minable && of !== "regtest"

const remined = (block: NaiveBlock, naive: NaiveNode, network: RealNetwork): NaiveBlock => {
  const real = readHeader(block.header)
  const { chain, hashes } = naive.tip
  const bits = requiredBits(chain, real.time, naive.parameters.work)
  const version = Math.max(real.version, network.version)
  return { ...block, header: realHeader(real, { ...real, version, previous: hashes.at(-1)!, bits }, network.minable) }
}

const whole = (network: RealNetwork, bytes: ReadonlyArray<Uint8Array>, crypto: Crypto): Whole => {
  const blocks = bytes.map(parsed)
  const [first] = blocks
  const header = readHeader(first!.header)
  const genesis = isMinedAgain(network) ? { ...first!, header: mined({ ...header, bits: EASIEST_BITS }) } : first!
  const now = Math.max(...blocks.map((block) => readHeader(block.header).time)) + 1_200
  const parameters = { ...network.parameters, genesisHash: blockHash(genesis) }
  const naive = naiveNode(parameters, genesis, now)
  const kernel = kernelNode(kernelParameters(parameters), serializeBlock(genesis), now, crypto)
  for (const [i, real] of blocks.slice(1).entries()) {
    const block = isMinedAgain(network) ? remined(real, naive, network) : real
    const said = [
      extendNaive(naive, block),
      offerToKernel(kernel, serializeBlock(block)).said,
      ...kernel.judged.values()
    ]
    const wrong = [...said.filter((each) => !each.startsWith("OK")), ...kernel.faults]
    if (kernel.tip.key !== naive.tip.key) wrong.push("the tips differ")
    if (!sameCoins(kernel.coins, connectionOf(naive.tip, parameters).coins)) wrong.push("the coins differ")
    if (wrong.length > 0) throw new Error(`the start cannot be made, block ${i + 1}: ${wrong.join(", ")}`)
  }
  return { network, naive, kernel, blocks }
}

const wholes = new WeakMap<ReadonlyArray<Uint8Array>, Map<number, Whole>>()

const wholeOf = (network: number, blocks: ReadonlyArray<Uint8Array>, crypto: Crypto): Whole => {
  const known = wholes.get(blocks) ?? new Map<number, Whole>()
  wholes.set(blocks, known)
  const made = known.get(network) ?? whole(REAL_NETWORKS[network]!, blocks, crypto)
  known.set(network, made)
  return made
}

/** The nodes as the block of `height` found them; the chain is played once, unchanged. */
export const realStart = (
  network: number,
  blocks: ReadonlyArray<Uint8Array>,
  height: number,
  crypto: Crypto
): RealStart => {
  const made = wholeOf(network, blocks, crypto)
  const naive = naiveAt(made.naive, height)
  const { coins } = connectionOf(naive.tip, naive.parameters)
  return { ...made, naive, kernel: kernelAt(made.kernel, height, coins, crypto) }
}
