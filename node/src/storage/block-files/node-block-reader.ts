import type { Crypto } from "@lockstep/kernel/crypto"
import type * as Effect from "effect/Effect"
import { type CorePlaces, layoutOf } from "../data-directory/layout.ts"
import { nodeDisk } from "../disk/node-disk.ts"
import { type BlockReader, blockReader } from "./block-reader.ts"

/** Locations of a node's block files. */
interface BlockPlaces {
  readonly dataDirectory: string
  /** Set if the node runs on Bitcoin Core's directories. */
  readonly standIn?: CorePlaces | undefined
  readonly storage: { readonly coreBlocks?: string | undefined }
}

/** Makes a reader of the block files of a configured node. */
export const nodeBlockReader = (
  { dataDirectory, standIn, storage: { coreBlocks } }: BlockPlaces,
  { magic }: { readonly magic: Uint8Array },
  crypto: Crypto
): Effect.Effect<BlockReader> =>
  blockReader({
    disk: nodeDisk("block-files"),
    directory: layoutOf(dataDirectory, standIn).blocks,
    coreBlocks,
    magic,
    crypto
  })
