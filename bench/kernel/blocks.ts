import type { AvailableProvider } from "../../crypto/src/index.ts"
import {
  type Block,
  type Crypto,
  decodeBlock,
  encodeWithoutWitness,
  merkleRoot,
  transactionId
} from "../../kernel/src/index.ts"
import { type Effort, median, race, ratio, type Timing } from "../measure.ts"
import type { Row } from "../row.ts"
import { type BlockFile, TARGET_BLOCK } from "./block-files.ts"

/** The block in `file`. */
export const blockIn = ({ bytes, name }: BlockFile): Block => {
  const verdict = decodeBlock(bytes)
  if (verdict._tag === "Failure") {
    throw new Error(`${name} is no block: ${verdict.failure.rule} at byte ${verdict.failure.detail.offset}`)
  }
  return verdict.success
}

const rootOf = (ids: ReadonlyArray<Uint8Array>, crypto: Crypto): Uint8Array => {
  const leaves = new Uint8Array(ids.length * 32)
  ids.forEach((id, i) => leaves.set(id, i * 32))
  return merkleRoot(leaves, crypto).root
}

/** What cannot be saved: each transaction hashed from bytes that lie ready, then the tree. */
const floorOf = (block: Block, crypto: Crypto): () => Uint8Array => {
  const stripped = block.transactions.map(encodeWithoutWitness)
  return () => rootOf(stripped.map((bytes) => crypto.sha256d(bytes)), crypto)
}

const rowOf = (file: BlockFile, { crypto, name }: AvailableProvider, effort: Effort): Row => {
  const block = blockIn(file)
  const [floor, whole] = race([
    floorOf(block, crypto),
    () => rootOf(blockIn(file).transactions.map((tx) => transactionId(tx, crypto)), crypto)
  ], effort) as [Timing, Timing]
  return {
    name: blockTitle(file.name),
    provider: name,
    value: median(whole) * 1_000,
    unit: "ms",
    ratio: ratio(whole, floor),
    to: "hashing"
  }
}

/** The name of a block's row. */
export const blockTitle = (name: string): string => `${name}: parse, txids, root`

/**
 * How long it takes to parse a block, hash its transactions and find its merkle root, against the hashing alone. All
 * providers for the block that has a target, the first one for the others.
 */
export const blockRows = (
  files: ReadonlyArray<BlockFile>,
  providers: ReadonlyArray<AvailableProvider>,
  effort: Effort
): ReadonlyArray<Row> =>
  files.flatMap((file) =>
    (file.name === TARGET_BLOCK ? providers : providers.slice(0, 1)).map((provider) => rowOf(file, provider, effort))
  )
