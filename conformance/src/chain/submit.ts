import { checkBlockInContext, checkContents } from "@lockstep/kernel/internal/block/check-block.ts"
import { collectBlock } from "@lockstep/kernel/internal/connect/collect.ts"
import { concludeBlock } from "@lockstep/kernel/internal/connect/conclude.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { childOf } from "@lockstep/kernel/internal/chain/header-node.ts"
import { blockIdentity } from "@lockstep/kernel/internal/model/block-identity.ts"
import type { Block } from "@lockstep/kernel/internal/model/block.ts"
import { headerOf } from "@lockstep/kernel/internal/model/header.ts"
import type { Violation } from "@lockstep/kernel/internal/verdict.ts"
import { type Rejection, rejectionOf } from "@lockstep/protocol/rejection/rejection.ts"
import * as Result from "effect/Result"
import { displayHexOf } from "../formats/hex.ts"
import { acceptBlock, acceptHeader, followsTip } from "./accept.ts"
import { activateBestChain, firstScriptFailure, type Listener } from "./activate.ts"
import { readBlock, withWitnessNonce } from "./read-block.ts"
import { type Entry, entryOf, type Store, type StoredBlock } from "./store.ts"

/** What a call answers: nothing, a reason, or an error. */
export interface Answer {
  readonly result: string | null
  readonly error?: { readonly code: number; readonly message: string }
  /** The refusal behind the result. */
  readonly rejection?: Rejection | undefined
}

const ACCEPTED: Answer = { result: null }
const UNDECODABLE: Answer = { result: null, error: { code: -22, message: "Block decode failed" } }

const refused = (rejection: Rejection): Answer => ({ result: rejection.reason, rejection })

const loadCompleted = (store: Store, load: () => Uint8Array) => (): Block | undefined => {
  const block = readBlock(load())
  const parent = block && entryOf(store, block.header.previous)
  if (block === undefined || parent === undefined) return block
  return withWitnessNonce(block, parent.node.height + 1 >= store.parameters.heights.segwit)
}

/** A block up to this size is kept decoded; a larger one is made again when it is needed. */
const KEPT_SIZE = 200_000

/** A function of its own, so that nothing else in scope keeps a block that is not to be kept. */
const constantly = (block: Block) => (): Block => block

const stored = (block: Block, reload: () => Block | undefined): StoredBlock => ({
  load: block.bytes.length > KEPT_SIZE ? () => reload()! : constantly(block),
  transactions: block.transactions.length
})

/** `submitblock`: takes a block in and goes to the best chain; what is answered is the verdict on this block. */
export const submitBlock = (store: Store, load: () => Uint8Array, listener?: Partial<Listener>): Answer => {
  const reload = loadCompleted(store, load)
  const block = reload()
  if (block === undefined) return UNDECODABLE
  const accepted = acceptBlock(store, stored(block, reload))
  if (Result.isFailure(accepted)) return refused(accepted.failure)
  const { entry, isNew } = accepted.success
  let verdict: { readonly rejection: Rejection | undefined } | undefined
  activateBestChain(store, {
    ...listener,
    judged: (judged, rejection) => {
      if (judged === entry) verdict = { rejection }
      listener?.judged?.(judged, rejection)
    }
  })
  if (!isNew) return { result: "duplicate" }
  if (verdict === undefined) return { result: "inconclusive" }
  return verdict.rejection === undefined ? ACCEPTED : refused(verdict.rejection)
}

/** `submitheader`: puts a header into the tree; bytes behind it do not matter. */
export const submitHeader = (store: Store, bytes: Uint8Array): Answer => {
  if (bytes.length < 80) return { result: null, error: { code: -22, message: "Block header decode failed" } }
  const header = headerOf(bytes.subarray(0, 80))
  if (entryOf(store, header.previous) === undefined) {
    return {
      result: null,
      error: { code: -25, message: `Must submit previous header (${displayHexOf(header.previous)}) first` }
    }
  }
  const accepted = acceptHeader(store, header)
  if (Result.isSuccess(accepted)) return ACCEPTED
  return { result: null, error: { code: -25, message: accepted.failure.reason }, rejection: accepted.failure }
}

const knownAs = ({ connected, invalid }: Entry): string =>
  invalid ? "duplicate-invalid" : connected ? "duplicate" : "duplicate-inconclusive"

/** What is wrong with a block as the next one of the chain, proof of work apart. */
const wrongAsNext = (store: Store, block: Block): Violation | undefined => {
  const { coins, crypto, now, parameters, tip } = store
  const identity = blockIdentity(block, crypto)
  const contents = checkContents(block, identity, crypto)
  if (Result.isFailure(contents)) return contents.failure
  const header = checkHeader(block.header, tip.node, now, parameters)
  if (Result.isFailure(header)) return header.failure
  const inContext = checkBlockInContext(block, identity, tip.node, parameters, crypto)
  if (Result.isFailure(inContext)) return inContext.failure
  const collected = collectBlock(block, childOf(tip.node, block.header, identity.hash), identity, parameters, coins)
  const verdict = concludeBlock(collected, firstScriptFailure(store, collected))
  return Result.isFailure(verdict) ? verdict.failure : undefined
}

/**
 * `getblocktemplate` in proposal mode: would this block, once it has proof of work, be the next one? Nothing is kept.
 */
export const propose = (store: Store, bytes: Uint8Array): Answer => {
  const block = readBlock(bytes)
  if (block === undefined) return UNDECODABLE
  const known = entryOf(store, blockIdentity(block, store.crypto).hash)
  if (known !== undefined) return { result: knownAs(known) }
  if (!followsTip(store, block.header)) return { result: "inconclusive-not-best-prevblk" }
  const wrong = wrongAsNext(store, block)
  return wrong === undefined ? ACCEPTED : refused(rejectionOf(wrong))
}
