import { existsSync, readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { parentOf, viewOf } from "../../conformance/src/chain/block-setting.ts"
import { rootsOf } from "../../conformance/src/sources/discover.ts"
import { blockIdentity, type BlockIdentity, type Coin, type Crypto, decodeBlock } from "../../kernel/src/index.ts"
import type { HeaderNode } from "../../kernel/src/chain/header-node.ts"
import type { Block } from "../../kernel/src/model/block.ts"
import type { ChainParameters } from "../../kernel/src/parameters/chain-parameters.ts"
import type { UtxoView } from "../../kernel/src/utxo/coin.ts"
import { networkCalled } from "../../protocol/src/index.ts"

/** The block that connecting is measured with: 1.6 MB, and the heights of everything it spends are known. */
export const SPENDING_BLOCK = { name: "mainnet-866342", height: 866_342 }

/** A real block with what connecting it takes. */
export interface SpentBlock {
  readonly bytes: Uint8Array
  readonly block: Block
  readonly node: HeaderNode
  readonly identity: BlockIdentity
  readonly parameters: ChainParameters
  readonly view: UtxoView
  readonly inputs: number
}

type SpentRow = readonly [value: number, script: string, height: number | null, isCoinbase: boolean | null]

const coinOf = ([value, script, height, isCoinbase]: SpentRow): Coin => ({
  value: BigInt(value),
  script: new Uint8Array(Buffer.from(script, "hex")),
  height: height ?? 0,
  isCoinbase: isCoinbase ?? false
})

const load = (path: string, crypto: Crypto): SpentBlock => {
  const bytes = new Uint8Array(readFileSync(`${path}.blk`))
  const verdict = decodeBlock(bytes)
  if (verdict._tag === "Failure") throw new Error(`${path}.blk is no block`)
  const block = verdict.success
  const rows = JSON.parse(gunzipSync(readFileSync(`${path}.spent.json.gz`)).toString()) as ReadonlyArray<SpentRow>
  let next = 0
  const coins = block.transactions.map((tx, i) => i === 0 ? [] : rows.slice(next, next += tx.inputs.length).map(coinOf))
  const identity = blockIdentity(block, crypto)
  const { height } = SPENDING_BLOCK
  const mainnet = networkCalled("mainnet")!.parameters
  const parent = parentOf(block, height, block.header.time - 1, mainnet)
  return {
    bytes,
    block,
    node: { ...parent, hash: identity.hash, height, parent, skip: parent, header: block.header },
    identity,
    // Relative locks look at the past of every coin, which no single block brings along.
    parameters: { ...mainnet, heights: { ...mainnet.heights, csv: Infinity } },
    view: viewOf(block, identity.transactionIds, coins),
    inputs: rows.length
  }
}

/** The block from the reference vectors, or none where there are none. */
export const spentBlock = (vectors: ReadonlyArray<string>, crypto: Crypto): SpentBlock | undefined => {
  const path = rootsOf(vectors)
    .map(({ directory }) => `${directory}/blocks/${SPENDING_BLOCK.name}`)
    .find((candidate) => existsSync(`${candidate}.blk`) && existsSync(`${candidate}.spent.json.gz`))
  return path === undefined ? undefined : load(path, crypto)
}
