import type { Block } from "@lockstep/kernel/model"
import type { Rejection } from "@lockstep/protocol/rejection/rejection.ts"
import * as Effect from "effect/Effect"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { ConnectError } from "../chainstate/connect-error.ts"
import { wrongAsNext } from "../intake/submit-block.ts"
import { assembleIdentified } from "./block-assembly.ts"
import { blockVersion } from "../deployments/block-version.ts"
import type { BlockBody } from "./pooled-contents.ts"

/** A block without proof of work. `rejection` is `undefined` if it would be valid. */
export interface BlockDraft {
  readonly block: Block
  readonly rejection: Rejection | undefined
}

/**
 * Makes a block on top of the tip that pays to `script`. `scripts` is true if those of its transactions must be
 * verified; the mempool has verified its own.
 */
export const draftBlock = Effect.fnUntraced(function*(
  engine: ChainEngine,
  contents: BlockBody,
  script: Uint8Array,
  judged: { readonly scripts: boolean }
): Effect.fn.Return<BlockDraft, ConnectError> {
  const { clock, crypto, parameters, tree } = engine
  const made = { ...contents, script, now: clock.now(), version: blockVersion(engine) }
  const found = assembleIdentified(tree.tip, made, parameters, crypto)
  // A coinbase alone cannot be invalid.
  if (contents.transactions.length === 0) return { block: found.block, rejection: undefined }
  const rejection = yield* wrongAsNext(engine, found, { ...judged, merkleRoot: false })
  return { block: found.block, rejection }
})
