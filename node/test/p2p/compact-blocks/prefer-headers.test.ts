import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { BegunBlock } from "../../../src/p2p/chain/p2p-chain.ts"
import { makeSync } from "../../../src/p2p/sync/sync-part.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"
import { plainPreferences } from "../sync/plain-preferences.ts"
import { SETTINGS } from "../sync/sync-session.ts"
import { at, begun, CHAIN, compactPayload, TIP } from "./compact-session.ts"

/** A compact block in high-bandwidth mode; a tick passes while the engine looks at it, and another one afterwards. */
const sentAround = Effect.fnUntraced(function*(answer: BegunBlock) {
  const model = chainModel(at(TIP).time + 60)
  for (const { bytes } of CHAIN.slice(0, TIP)) {
    yield* model.chain.acceptHeaders(bytes)
    yield* model.chain.acceptBlock(bytes, true)
  }
  model.initialBlockDownload = false
  const peer = scriptedPeer(1, "inbound", undefined, model.clock)
  const commands = (): ReadonlyArray<string> => peer.sent.map(({ command }) => command)
  let meanwhile: ReadonlyArray<string> = []
  const chain = {
    ...model.chain,
    beginCompactBlock: () =>
      Effect.sync(() => {
        tick()
        meanwhile = commands()
        return answer
      })
  }
  const { part, state } = yield* makeSync(
    { ...model.context, chain },
    SETTINGS,
    plainPreferences(() => true, () => true)
  )
  const tick = (): void => part.tick!(peer, unixMilliseconds(model.clock))
  model.peers.set(peer.id, peer)
  part.ready!(peer)
  state.peers.get(peer.id)!.isHighBandwidth = true
  yield* Result.getOrThrow(part.raw!.cmpctblock!(peer, compactPayload(at(TIP + 1))))
  if (!peer.isGone) tick()
  return { meanwhile, afterwards: commands(), gone: peer.gone }
})

describe("announcements by headers are asked for", () => {
  it.effect("not while a compact block is looked at, which may end the connection", () =>
    Effect.gen(function*() {
      const { afterwards, gone, meanwhile } = yield* sentAround({ _tag: "Impossible", why: "no coinbase" })
      assert.isDefined(gone)
      assert.notInclude(meanwhile, "sendheaders")
      assert.notInclude(afterwards, "sendheaders")
    }).pipe(Effect.scoped))

  it.effect("when that is over", () =>
    Effect.gen(function*() {
      const { afterwards, gone, meanwhile } = yield* sentAround(begun([1]))
      assert.isUndefined(gone)
      assert.notInclude(meanwhile, "sendheaders")
      assert.includeMembers([...afterwards], ["getblocktxn", "sendheaders"])
    }).pipe(Effect.scoped))
})
