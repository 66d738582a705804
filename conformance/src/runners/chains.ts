import { bytesEqual } from "@lockstep/kernel/internal/bytes/equal.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import type { Network } from "@lockstep/protocol/networks/network.ts"
import { framedBlocks } from "../chain/framed-blocks.ts"
import { inOrder } from "../chain/in-order.ts"
import { networkOfFile } from "../chain/network-of-file.ts"
import { extend, storeOf } from "../chain/offer.ts"
import type { Store } from "../chain/store.ts"
import { bytesOf, isHex } from "../formats/hex.ts"
import { MalformedVector } from "../formats/malformed.ts"
import { readText } from "../formats/read-file.ts"
import type { VectorFile } from "../sources/source.ts"
import type { Runner } from "./runner.ts"

/** Blocks written as lines of hexadecimal digits. */
const linedBlocks = (file: VectorFile): ReadonlyArray<Uint8Array> =>
  readText(file).split("\n").filter((line) => line !== "").map((line, i) => {
    if (!isHex(line)) throw new MalformedVector(file.display, `line ${i + 1}`, "expected hexadecimal bytes")
    return bytesOf(line)
  })

const isGenesis = ({ parameters }: Network, block: Uint8Array): boolean =>
  bytesEqual(nobleCrypto.sha256d(block.subarray(0, 80)), parameters.genesisHash)

/** The first blocks of a chain, with or without the genesis block: each becomes the tip. */
export const chains: Runner = function*(file) {
  const network = networkOfFile(file)
  const blocks = file.path.endsWith(".dat") ? framedBlocks(file, network.magic) : linedBlocks(file)
  const offset = blocks[0] !== undefined && isGenesis(network, blocks[0]) ? 0 : 1
  const step = inOrder()
  let store: Store | undefined
  for (const [i, block] of blocks.entries()) {
    const height = i + offset
    const judge = step(({ crypto }) => {
      store ??= storeOf(network, crypto)
      return height === 0 ? undefined : extend(store, block)
    })
    yield { index: String(height), name: `block ${height}`, judge }
  }
}
