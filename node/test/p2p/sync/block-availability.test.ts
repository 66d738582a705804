import { assert, describe, it } from "@effect/vitest"
import { noteAnnounced } from "../../../src/p2p/sync/block-availability.ts"
import type { PeerSync } from "../../../src/p2p/sync/peer-sync.ts"
import type { SyncState } from "../../../src/p2p/sync/sync-state.ts"
import { stillChain } from "../peer/still-chain.ts"

describe("what a peer said it has", () => {
  it("hostile: an unknown block is remembered by its hash, without the message that announced it", () => {
    const sync = { context: { chain: stillChain() } } as unknown as SyncState
    const from = { unknown: undefined } as PeerSync
    const message = new Uint8Array(1_800_000).fill(9)
    noteAnnounced(sync, from, message.subarray(36, 68))
    assert.deepStrictEqual([...from.unknown!], [...message.subarray(36, 68)])
    assert.strictEqual(from.unknown!.buffer.byteLength, 32)
  })
})
