import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { setTip } from "../../../src/engine/header-index/active-chain.ts"
import type { HeaderIndexNode } from "../../../src/engine/header-index/header-index-node.ts"
import { announceBlocks, noteNewTip } from "../../../src/p2p/sync/announce.ts"
import { syncState } from "../../../src/p2p/sync/sync-state.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { SETTINGS } from "./sync-session.ts"
import { plainState } from "./plain-preferences.ts"

const CHAIN = minedChain(40)
const HASHES = new Map(CHAIN.map((header, i) => [Buffer.from(hashOf(header)).toString("hex"), i + 1]))
const heightOf = (hash: Uint8Array): number => HASHES.get(Buffer.from(hash).toString("hex"))!

/** What a peer that has the chain up to `best` is sent when blocks of these heights are new; the tip is at `tip`. */
const sentTo = Effect.fnUntraced(function*(
  heights: ReadonlyArray<number>,
  { best, bestSent, prefersHeaders = true, tip = 40 }: {
    readonly best?: number
    readonly bestSent?: number
    readonly prefersHeaders?: boolean
    readonly tip?: number
  }
) {
  const model = chainModel(CHAIN.at(-1)!.time)
  for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
  const { tree } = model.chain
  const at = (height: number): HeaderIndexNode => tree.nodes[height]!
  for (let height = 1; height <= tip; height++) setTip(tree, at(height))
  const sync = syncState(model.context, SETTINGS, plainState(() => prefersHeaders))
  const to = madePeerSync(sync, "inbound", {
    best: best === undefined ? undefined : at(best),
    bestSent: bestSent === undefined ? undefined : at(bestSent)
  })
  to.announcements.push(...heights.map(at))
  announceBlocks(sync, to)
  assert.deepStrictEqual(to.announcements, [])
  const shown = to.peer.sent.map((message) =>
    message.command === "headers" ?
      `headers ${message.headers.map((header) => heightOf(hashOf(header))).join()}`
      : message.command === "inv"
      ? `inv ${message.inventory.map(({ hash }) => heightOf(hash)).join()}`
      : message.command
  )
  return [shown.join(" "), to.bestSent?.height]
})

describe("new blocks are announced", () => {
  it.effect("by those headers that the peer does not have, where it has what they stand on", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentTo([38, 39, 40], { best: 37 }), ["headers 38,39,40", 40])
      assert.deepStrictEqual(yield* sentTo([38, 39, 40], { best: 38 }), ["headers 39,40", 40])
      assert.deepStrictEqual(yield* sentTo([38, 39, 40], { bestSent: 39 }), ["headers 40", 40])
      assert.deepStrictEqual(yield* sentTo([40], { best: 39 }), ["headers 40", 40])
    }))

  it.effect("not to a peer that has all of them, nor when there are none", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentTo([39, 40], { best: 40 }), ["", undefined])
      assert.deepStrictEqual(yield* sentTo([], { best: 3 }), ["", undefined])
      assert.deepStrictEqual(yield* sentTo([40], { best: 40, prefersHeaders: false }), ["", undefined])
    }))

  it.effect("by the name of the newest, where the peer has not what they stand on, or does not want headers", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentTo([39, 40], { best: 37 }), ["inv 40", undefined])
      assert.deepStrictEqual(yield* sentTo([39, 40], {}), ["inv 40", undefined])
      assert.deepStrictEqual(yield* sentTo([39, 40], { best: 38, prefersHeaders: false }), ["inv 40", undefined])
      assert.deepStrictEqual(yield* sentTo([38, 40], { best: 37 }), ["inv 40", undefined])
    }))

  it.effect("by up to 8 headers; more are announced by the name of the newest", () =>
    Effect.gen(function*() {
      const last = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => 41 - count + i)
      assert.deepStrictEqual(yield* sentTo(last(8), { best: 32 }), ["headers 33,34,35,36,37,38,39,40", 40])
      assert.deepStrictEqual(yield* sentTo(last(9), { best: 31 }), ["inv 40", undefined])
    }))

  it.effect("not when they are of the best chain no more", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* sentTo([38, 39, 40], { best: 37, tip: 37 }), ["", undefined])
      assert.deepStrictEqual(yield* sentTo([40], { best: 37, prefersHeaders: false, tip: 39 }), ["", undefined])
    }))
})

describe("what waits to be announced", () => {
  it.effect("is the newest eight of what is new at once, and nine of what comes one after another", () =>
    Effect.gen(function*() {
      const model = chainModel(CHAIN.at(-1)!.time)
      for (const { bytes } of CHAIN) yield* model.chain.acceptHeaders(bytes)
      const at = (height: number): HeaderIndexNode => model.chain.tree.nodes[height]!
      const sync = syncState(model.context, SETTINGS, plainState(() => true))
      const waiting = () => {
        const { announcements } = madePeerSync(sync, "inbound")
        return (tip: number, fork: number) => {
          noteNewTip(sync, at(tip), at(fork))
          return announcements.map(({ height }) => height)
        }
      }
      assert.deepStrictEqual(waiting()(40, 20), [33, 34, 35, 36, 37, 38, 39, 40])
      const later = waiting()
      assert.deepStrictEqual(later(10, 5), [6, 7, 8, 9, 10])
      assert.deepStrictEqual(later(13, 10), [6, 7, 8, 9, 10, 11, 12, 13])
      assert.deepStrictEqual(later(14, 13), [6, 7, 8, 9, 10, 11, 12, 13, 14])
      assert.deepStrictEqual(later(15, 14), [7, 8, 9, 10, 11, 12, 13, 14, 15])
      assert.deepStrictEqual(later(18, 15), [10, 11, 12, 13, 14, 15, 16, 17, 18])
    }))
})
