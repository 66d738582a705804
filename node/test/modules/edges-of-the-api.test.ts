import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { EventBus } from "../../src/events/event-bus.ts"
import { SERVING_LIMITS } from "../../src/p2p/serving/serving-limits.ts"
import { unixSeconds } from "../../src/quantities.ts"
import { networkOf, ok, plain } from "./api-network.ts"
import { useSockets } from "./test-module.ts"
import { apisOf, connectedModule } from "./test-node-side.ts"

useSockets()

const hashes = (count: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: count }, (_, i) => {
    const hash = new Uint8Array(32)
    new DataView(hash.buffer).setUint32(0, i)
    return hash
  })

describe("requests of modules at their limits", () => {
  it.live("ban for up to 100 years", () =>
    Effect.scoped(Effect.gen(function*() {
      const { bans, network } = networkOf()
      const { asked } = yield* connectedModule(yield* apisOf({ peers: () => network }))
      const ban = (seconds: number) => asked({ _tag: "BanPeer", peer_addr: "192.0.2.1", ban_duration_seconds: seconds })
      const refusal = "ban_duration_seconds must be from 1 to 3153600000"
      for (const seconds of [0, 3_153_600_001]) assert.include(yield* ban(seconds), refusal)
      assert.deepStrictEqual(plain(yield* ban(3_153_600_000)), ok("PeerBanned"))
      assert.deepStrictEqual(bans.list(unixSeconds(1_000)).map(({ until }) => until), [3_153_601_000])
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("name a denylist that has no room by its kind, and how many hashes were left", () =>
    Effect.scoped(Effect.gen(function*() {
      const { network } = networkOf()
      const { asked } = yield* connectedModule(yield* apisOf({ peers: () => network }))
      const most = SERVING_LIMITS.denied.most
      const merge = (count: number) => asked({ _tag: "MergeTxServeDenylist", tx_hashes: hashes(count) })
      assert.strictEqual(yield* merge(most + 3), "ResourceExhausted: 3 hashes found no room in the denylist")
    })).pipe(Effect.provide(EventBus.layer)))

  it.live("give the times of a file in whole seconds, and none before the second after 1970 began", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked, data } = yield* connectedModule(yield* apisOf())
      const file = join(data, "file")
      writeFileSync(file, "four")
      const modified = (): Effect.Effect<unknown> =>
        Effect.map(
          asked({ _tag: "GetFileMetadata", path: "file" }),
          (answer) => (answer as { readonly value: { readonly modified?: number } }).value.modified
        )
      utimesSync(file, 1_000, 1_999.9)
      assert.strictEqual(yield* modified(), 1_999)
      utimesSync(file, 1_000, 0.5)
      assert.strictEqual(yield* modified(), 0)
      utimesSync(file, 1_000, 0)
      assert.isUndefined(yield* modified())
    })).pipe(Effect.provide(EventBus.layer)))
})
