import { assert, describe, it } from "@effect/vitest"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { OwnVersionInfo } from "../../../src/p2p/peer/session/own-version.ts"
import { reconciliation } from "../../../src/p2p/peer/session/reconciliation.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"

/** The agreement with one peer, which is played from both sides. */
const place = (
  { hello = {}, info = {}, isReady = false, kind = "inbound" }: {
    readonly hello?: { readonly relay?: boolean; readonly version?: number; readonly wtxidRelay?: boolean }
    readonly info?: Partial<OwnVersionInfo>
    readonly isReady?: boolean
    readonly kind?: PeerKind
  } = {}
) => {
  const steps: Array<string> = []
  const { context } = chainModel(1_700_000_000)
  const talk = reconciliation(
    {
      ...context,
      notify: {
        ...context.notify,
        trace: (happening) => void (happening._tag === "Reconciliation" && steps.push(happening.step))
      }
    },
    { userAgent: "/me/", wantsTransactions: true, reconciles: true, ...info }
  )
  const peer = scriptedPeer(1, kind)
  Object.assign(peer, { isReady, hello: { ...peer.hello, ...hello } })
  const hear = (version = 1): void => {
    const instead = talk.judge(peer)
    if (instead === undefined) talk.receive(peer, { command: "sendtxrcncl", version, salt: 7n })
    else instead()
  }
  return { hear, peer, steps, talk }
}

/** What is sent before `verack`. */
const offered = (...[given]: Parameters<typeof place>): ReadonlyArray<string> => {
  const { peer, talk } = place(given)
  talk.offer(peer)
  return peer.sent.map(({ command }) => command)
}

/** Why a peer that tells is disconnected. */
const ending = (given: Parameters<typeof place>[0], ...versions: ReadonlyArray<number>): string | undefined => {
  const { hear, peer, talk } = place(given)
  talk.offer(peer)
  for (const version of versions) hear(version)
  return peer.gone?.reason
}

describe("the agreement to reconcile transactions", () => {
  it.each<readonly [PeerKind, boolean]>([
    ["inbound", true],
    ["outbound-full-relay", true],
    ["manual", true],
    ["block-relay-only", false],
    ["feeler", false],
    ["addr-fetch", false]
  ])("is offered to a peer of kind %s: %s", (kind, isOffered) => {
    assert.deepStrictEqual(offered({ kind }), isOffered ? ["sendtxrcncl"] : [])
  })

  it("is offered where both relay transactions by wtxid, with a salt of its own for each peer", () => {
    assert.deepStrictEqual(offered({ info: { reconciles: false } }), [])
    assert.deepStrictEqual(offered({ info: { reconciles: undefined } }), [])
    assert.deepStrictEqual(offered({ info: { wantsTransactions: false } }), [])
    assert.deepStrictEqual(offered({ hello: { relay: false } }), [])
    assert.deepStrictEqual(offered({ hello: { version: 70_015 } }), [])
    const { peer, talk } = place()
    talk.offer(peer)
    talk.offer(peer)
    const salts = peer.sent.map((message) => message.command === "sendtxrcncl" ? [message.version, message.salt] : [])
    assert.deepStrictEqual(salts.map(([version]) => version), [1, 1])
    assert.notStrictEqual(salts[0]![1], salts[1]![1])
  })

  it("is reached with a peer of the same version or a newer one, and stays until the connection is gone", () => {
    for (const version of [1, 2, 0xffff_ffff]) {
      const { hear, peer, steps, talk } = place()
      talk.offer(peer)
      hear(version)
      talk.settle(peer)
      assert.deepStrictEqual(steps, ["offered", "agreed"])
      talk.gone(peer)
      talk.gone(peer)
      assert.deepStrictEqual([steps, peer.gone], [["offered", "agreed", "forgotten"], undefined])
    }
  })

  it("is forgotten with verack when the peer did not tell, or announces by txid", () => {
    const silent = place()
    silent.talk.offer(silent.peer)
    silent.talk.settle(silent.peer)
    assert.deepStrictEqual(silent.steps, ["offered", "forgotten"])
    const byTxid = place({ hello: { wtxidRelay: false } })
    byTxid.talk.offer(byTxid.peer)
    byTxid.hear()
    byTxid.talk.settle(byTxid.peer)
    assert.deepStrictEqual(byTxid.steps, ["offered", "agreed", "forgotten"])
  })

  it("ends the connection where the peer breaks BIP330", () => {
    const VIOLATION = "txreconciliation protocol violation"
    assert.isUndefined(ending({}, 1))
    assert.strictEqual(ending({}, 0), VIOLATION)
    assert.strictEqual(ending({}, 1, 1), `${VIOLATION} (sendtxrcncl received from already registered peer)`)
    assert.strictEqual(ending({}, 1, 0), `${VIOLATION} (sendtxrcncl received from already registered peer)`)
    assert.strictEqual(ending({ isReady: true }, 1), "sendtxrcncl received after verack")
    assert.strictEqual(ending({ hello: { relay: false } }, 1), "sendtxrcncl received which indicated no tx relay to us")
    const NO_RELAY = "sendtxrcncl received to which we indicated no tx relay"
    assert.strictEqual(ending({ kind: "block-relay-only", hello: { relay: false } }, 1), NO_RELAY)
    assert.strictEqual(ending({ info: { wantsTransactions: false } }, 1), NO_RELAY)
  })

  it("is left alone by a node that does not agree, and where it was not offered", () => {
    const off = place({ info: { reconciles: false }, isReady: true })
    off.hear()
    assert.deepStrictEqual([off.steps, off.peer.gone], [["off"], undefined])
    const unasked = place({ kind: "addr-fetch" })
    unasked.hear(0)
    unasked.talk.settle(unasked.peer)
    assert.deepStrictEqual([unasked.steps, unasked.peer.gone], [["unexpected"], undefined])
  })
})
