import type { Block } from "@lockstep/kernel/model/block.ts"
import { blockHash } from "@lockstep/kernel/model/identity.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { acceptBlock } from "../engine/accept.ts"
import { activateBestChain } from "../engine/activate.ts"
import { type ChainEngine, identified, type IdentifiedBlock } from "../engine/chain-engine.ts"
import { displayHash } from "../engine/display-hash.ts"
import { HeaderStatus } from "../engine/header-tree/header-status.ts"
import { has, nodeOf } from "../engine/header-tree/header-tree.ts"
import { blockOf } from "../engine/read-block.ts"
import { tellLog } from "../engine/tell.ts"
import { placeIn } from "./block-source.ts"
import type { Taking } from "./parents-first.ts"

interface ReadBlock {
  readonly block: Block
  readonly hash: Uint8Array
  /** Not computed for a block that is here anyway. */
  readonly found: IdentifiedBlock | undefined
}

/** Takes in whole blocks, where they stand or as copies, and connects them. `taken` hears of each that is new. */
export const takeBlocks = (engine: ChainEngine, taken: () => void): Taking<ReadBlock> => {
  const { crypto, tree } = engine
  const isStored = (hash: Uint8Array): boolean => {
    const node = nodeOf(tree, hash)
    return node !== undefined && has(tree, node, HeaderStatus.STORED)
  }
  return {
    head: undefined,
    turnBytes: 8 * 1024 * 1024,
    decode: (bytes) => {
      const block = blockOf(bytes)
      if (block === undefined) return undefined
      const hash = blockHash(block.header, crypto)
      return { block, hash, found: isStored(hash) ? undefined : identified(block, crypto) }
    },
    hashOf: ({ hash }) => hash,
    previousOf: ({ block }) => block.header.previous,
    isTaken: ({ hash }) => isStored(hash),
    isParent: (hash) => nodeOf(tree, hash) !== undefined,
    accept: Effect.fnUntraced(function*({ block, found, hash }, source, offset) {
      const verdict = yield* acceptBlock(engine, found ?? identified(block, crypto), placeIn(source, offset, block.bytes.length))
      if (Result.isFailure(verdict)) {
        const facts = { file: source.path, offset, block: displayHash(hash), reason: verdict.failure.reason }
        tellLog(engine, "warn", "A block of an imported file is refused", facts)
      } else if (verdict.success.isNew) taken()
    }),
    conclude: activateBestChain(engine)
  }
}
