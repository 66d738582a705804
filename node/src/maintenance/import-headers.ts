import { blockHash, type Header, headerOf } from "@lockstep/kernel/model"
import { proofOfWork } from "@lockstep/kernel/work"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptHeader } from "../engine/validation/accept-block.ts"
import type { ChainEngine } from "../engine/state/chain-engine.ts"
import { nodeOf } from "../engine/header-index/header-index.ts"
import type { Importer } from "./out-of-order-import.ts"

const HEADER_BYTES = 80

interface HashedHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

/** Accepts only the headers of blocks: a header chain decides which blocks' scripts may be assumed valid. */
export const importHeaders = (engine: ChainEngine): Importer<HashedHeader> => {
  const { crypto, parameters, tree } = engine
  return {
    head: HEADER_BYTES,
    chunkBytes: 2000 * HEADER_BYTES,
    decode: (bytes) => {
      const header = headerOf(bytes)
      const hash = blockHash(header, crypto)
      return Result.isSuccess(proofOfWork(hash, header.bits, parameters.work.powLimit)) ? { header, hash } : undefined
    },
    hashOf: ({ hash }) => hash,
    previousOf: ({ header }) => header.previous,
    mayWait: () => true,
    isHere: ({ hash }) => nodeOf(tree, hash) !== undefined,
    isParent: (hash) => nodeOf(tree, hash) !== undefined,
    // An invalid header is reported when its block is read.
    accept: ({ hash, header }) => Effect.sync(() => void acceptHeader(engine, header, hash)),
    conclude: Effect.void,
    release: Effect.void
  }
}
