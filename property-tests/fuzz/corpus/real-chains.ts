import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { fromHex, toHex } from "../../src/oracles/byte-string.ts"
import { sha256d } from "../../src/oracles/hash.ts"
import { isRealNetwork, type RealNetworkName } from "../sequence/real-network.ts"

/** A chain that a network has or had: its blocks from the genesis on, each the parent of the next. */
export interface RealChain {
  readonly network: RealNetworkName
  readonly blocks: ReadonlyArray<Uint8Array>
}

/** The first block of every regtest chain; files may leave it out. */
const REGTEST_GENESIS = fromHex(
  "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a" +
    "9fb8aa4b1e5e4adae5494dffff7f20020000000101000000010000000000000000000000000000000000000000000000000000000000000000ffffffff" +
    "4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e6420" +
    "6261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea" +
    "1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000"
)

const framed = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const blocks: Array<Uint8Array> = []
  for (let at = 0; at + 8 <= bytes.length;) {
    const end = at + 8 + view.getUint32(at + 4, true)
    blocks.push(Uint8Array.from(bytes.subarray(at + 8, end)))
    at = end
  }
  return blocks
}

const lined = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Buffer.from(bytes).toString("latin1").split("\n").filter((line) => line !== "").map(fromHex)

/** Branches, each a list of blocks. */
const listed = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  (JSON.parse(Buffer.from(bytes).toString("utf8")) as ReadonlyArray<ReadonlyArray<string>>).flat().map(fromHex)

const FILES: ReadonlyArray<
  readonly [path: string, network: RealNetworkName, read: (bytes: Uint8Array) => ReadonlyArray<Uint8Array>]
> = [
  ["oracle/chain/blocks.dat.gz", "regtest", (bytes) => framed(gunzipSync(bytes))],
  ["chain/regtest_206_blocks.txt", "regtest", lined],
  ["chain/floresta_reorg.json", "regtest", listed],
  ["chain/mainnet_0_599.dat", "mainnet", framed],
  ["chain/signet_0_120.txt", "signet", lined]
]

/** From the genesis to the block that has most ancestors among `blocks`. */
const longest = (blocks: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
  const byHash = new Map(blocks.map((block) => [toHex(sha256d(block.subarray(0, 80))), block]))
  const parentOf = (block: Uint8Array): Uint8Array | undefined => byHash.get(toHex(block.subarray(4, 36)))
  const lengths = new Map<Uint8Array, number>()
  const lengthOf = (block: Uint8Array): number => {
    const parent = parentOf(block)
    const length = lengths.get(block) ?? (parent === undefined ? 1 : lengthOf(parent) + 1)
    lengths.set(block, length)
    return length
  }
  const all = [...byHash.values()]
  const last = all.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a))
  const chain: Array<Uint8Array> = []
  for (let at: Uint8Array | undefined = last; at !== undefined; at = parentOf(at)) chain.push(at)
  return chain.toReversed()
}

/** What a root with the layout of the reference vectors holds of real chains; files that are not there are left out. */
export const realChains = (root: string): ReadonlyArray<RealChain> =>
  FILES.flatMap(([path, network, read]) => {
    const file = join(root, path)
    if (!isRealNetwork(network) || !existsSync(file)) return []
    const blocks = read(Uint8Array.from(readFileSync(file)))
    return [{ network, blocks: longest(network === "regtest" ? [REGTEST_GENESIS, ...blocks] : blocks) }]
  })
