import { ancestorAt } from "@lockstep/kernel/chain"
import { decodeBlock, headerOf } from "@lockstep/kernel/model"
import { compactBlockOf } from "@lockstep/protocol/wire/compact-block/compact-block-of.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isActive } from "../../../src/engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { resolveUnknown } from "./core-headers.ts"
import type { CoreLink } from "./core-link.ts"
import { type CoreState, say } from "./core-state.ts"

const MOST = 8

/** `UpdatedBlockTip`: the new blocks, at most eight, are to be announced to all. */
export const tipIsNew = (core: CoreState, tip: HeaderIndexNode, fork: HeaderIndexNode): void => {
  const news: Array<HeaderIndexNode> = []
  for (let at = tip; at !== fork && news.length < MOST; at = at.parent!) news.unshift(at)
  for (const { announcements } of core.links) announcements.push(...news)
}

const isOn = (chain: HeaderIndexNode | undefined, node: HeaderIndexNode): boolean =>
  chain !== undefined && ancestorAt(chain, node.height) === node

const hasHeader = ({ best, bestSent }: CoreLink, node: HeaderIndexNode): boolean =>
  isOn(best, node) || isOn(bestSent, node)

/** The headers that announce the blocks; none: only the name of the newest can be announced. */
const asHeaders = (
  { chain: { tree } }: CoreState,
  link: CoreLink,
  blocks: ReadonlyArray<HeaderIndexNode>
): ReadonlyArray<HeaderIndexNode> | undefined => {
  const headers: Array<HeaderIndexNode> = []
  for (const [i, node] of blocks.entries()) {
    if (!isActive(tree, node) || (i > 0 && node.parent !== blocks[i - 1])) return undefined
    if (headers.length > 0) headers.push(node)
    else if (hasHeader(link, node)) continue
    else if (node.parent === undefined || hasHeader(link, node.parent)) headers.push(node)
    else return undefined
  }
  return headers
}

/** `fRevertToInv`, as far as it depends on how many there are. */
const isForInv = ({ prefersHeaders, wantsCompactFirst }: CoreLink, count: number): boolean =>
  (!prefersHeaders && (!wantsCompactFirst || count > 1)) || count > MOST

/** Block announcements of `SendMessages`. */
export const announce = Effect.fnUntraced(function*(core: CoreState, link: CoreLink) {
  const blocks = link.announcements.splice(0)
  if (blocks.length === 0) return
  resolveUnknown(core, link)
  const isByName = core.traits.isByName || isForInv(link, blocks.length)
  const headers = isByName ? undefined : asHeaders(core, link, blocks)
  const last = headers?.at(-1)
  if (headers?.length === 1 && link.wantsCompactFirst) {
    const bytes = yield* core.chain.blockBytes(last!)
    say(link, compactBlockOf(Result.getOrThrow(decodeBlock(bytes!)), 11n, testCrypto))
    link.bestSent = last
  } else if (headers !== undefined && (link.prefersHeaders || headers.length === 0)) {
    if (last === undefined) return
    say(link, { command: "headers", headers: headers.map(({ header }) => headerOf(header.bytes)) })
    link.bestSent = last
  } else if (!hasHeader(link, blocks.at(-1)!)) {
    say(link, { command: "inv", inventory: [{ type: InventoryType.BLOCK, hash: blocks.at(-1)!.hash }] })
  }
})

/** Asks for nothing, offers nothing: says once that headers are preferred, when the link has shown a chain. */
export const sayPreference = (link: CoreLink): void => {
  if (link.saidSendHeaders || link.best === undefined || link.best.chainWork === 0n) return
  link.saidSendHeaders = true
  say(link, { command: "sendheaders" })
}
