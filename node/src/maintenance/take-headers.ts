import { type Header, headerOf } from "@lockstep/kernel/model/header.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import { proofOfWork } from "@lockstep/kernel/work/proof-of-work.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptHeader } from "../engine/accept.ts"
import type { ChainEngine } from "../engine/chain-engine.ts"
import { nodeOf } from "../engine/header-tree/header-tree.ts"
import type { Taking } from "./parents-first.ts"

const HEADER_BYTES = 80

interface HashedHeader {
  readonly header: Header
  readonly hash: Uint8Array
}

/** Takes in the headers of blocks only: a header chain says which blocks' scripts may be taken to hold. */
export const takeHeaders = (engine: ChainEngine): Taking<HashedHeader> => {
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
    isTaken: ({ hash }) => nodeOf(tree, hash) !== undefined,
    isParent: (hash) => nodeOf(tree, hash) !== undefined,
    // What is wrong with a header is said when its block comes.
    accept: ({ hash, header }) => Effect.sync(() => void acceptHeader(engine, header, hash)),
    conclude: Effect.void,
    release: Effect.void
  }
}
