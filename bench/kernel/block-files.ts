import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename } from "node:path"
import { rootsOf } from "../../conformance/src/sources/discover.ts"
import { signedSpends } from "../spends.ts"

/** A serialized block and what to call it. */
export interface BlockFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The block that a target is set for: 1 MB, 1,557 transactions, before witnesses. */
export const TARGET_BLOCK = "mainnet-413567"

/** Blocks below this size say more about the clock than about the kernel. */
const SMALLEST = 100_000

const read = (path: string): BlockFile => ({ name: basename(path, ".blk"), bytes: new Uint8Array(readFileSync(path)) })

const blocksIn = (directory: string): ReadonlyArray<BlockFile> =>
  readdirSync(directory).filter((file) => file.endsWith(".blk")).sort().map((file) => read(`${directory}/${file}`))

/** The blocks of reference vectors that are large enough to be timed, by name. */
export const realBlocks = (vectors: ReadonlyArray<string>): ReadonlyArray<BlockFile> =>
  rootsOf(vectors)
    .map(({ directory }) => `${directory}/blocks`)
    .filter((directory) => existsSync(directory))
    .flatMap(blocksIn)
    .filter(({ bytes }) => bytes.length >= SMALLEST)

/** A block of signed transactions that says nothing about any chain: for machines without reference vectors. */
export const syntheticBlock = (): BlockFile => {
  const transactions = [...signedSpends("P2PKH"), ...signedSpends("P2WPKH")].map(({ bytes }) => bytes)
  const count = 2_048
  const header = new Uint8Array(80)
  const sized = Uint8Array.of(253, count & 0xff, count >> 8)
  const body = Array.from({ length: count }, (_, i) => transactions[i % transactions.length]!)
  return { name: "synthetic block", bytes: Uint8Array.from(Buffer.concat([header, sized, ...body])) }
}
