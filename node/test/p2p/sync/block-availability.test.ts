import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { noteAnnounced, resolveAnnounced } from "../../../src/p2p/sync/blocks/block-availability.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import { type SyncState, syncState } from "../../../src/p2p/sync/sync-state.ts"
import { stillChain } from "../peer/still-chain.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { madePeerSync } from "./made-peer-sync.ts"
import { plainState } from "./plain-preferences.ts"
import { SETTINGS } from "./sync-session.ts"

describe("what a peer said it has", () => {
  it("hostile: an unknown block is remembered by its hash, without the message that announced it", () => {
    const sync = { context: { chain: stillChain() } } as unknown as SyncState
    const from = { unknown: undefined } as PeerSync
    const message = new Uint8Array(1_800_000).fill(9)
    noteAnnounced(sync, from, message.subarray(36, 68))
    assert.deepStrictEqual([...from.unknown!], [...message.subarray(36, 68)])
    assert.strictEqual(from.unknown!.buffer.byteLength, 32)
  })

  it.effect("is the block with the most work; of as much the one that it named last", () =>
    Effect.gen(function*() {
      const model = chainModel(1_700_000_000)
      const chain = minedChain(6)
      const side = minedChain(4, 1, hashOf(chain[1]!))
      for (const { bytes } of [...chain, ...side]) yield* model.chain.acceptHeaders(bytes)
      const sync = syncState(model.context, SETTINGS, plainState(() => true))
      const from = madePeerSync(sync, "outbound-full-relay")
      const name = (hash: Uint8Array): number | undefined => {
        noteAnnounced(sync, from, hash)
        return from.best?.index
      }
      const [low, high] = [hashOf(chain[2]!), hashOf(chain[5]!)]
      const indexOf = (hash: Uint8Array) => nodeOf(model.chain.tree, hash)!.index
      assert.strictEqual(name(low), indexOf(low))
      assert.strictEqual(name(high), indexOf(high))
      assert.strictEqual(name(low), indexOf(high))
      assert.strictEqual(name(hashOf(side[3]!)), indexOf(hashOf(side[3]!)))
      // One that is not known yet is looked for again when it is needed.
      const next = minedChain(1, 2, hashOf(chain[5]!))[0]!
      assert.strictEqual(name(hashOf(next)), indexOf(hashOf(side[3]!)))
      yield* model.chain.acceptHeaders(next.bytes)
      resolveAnnounced(sync, from)
      assert.strictEqual(from.best?.index, indexOf(hashOf(next)))
      assert.isUndefined(from.unknown)
    }))
})
