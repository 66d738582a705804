import { assert, describe, it } from "vitest"
import { hostedConnection } from "../../../src/p2p/peer/hosted-connection.ts"
import { disconnectText } from "../../../src/runtime/disconnect-reason.ts"
import { inbox } from "../../../src/p2p/peer/inbox.ts"
import type { LivePeer } from "../../../src/p2p/peer/live-peer.ts"
import type { Connection } from "../../../src/p2p/transport/transport.ts"

const MEGABYTE = 1_000_000
/** What a piece costs beside its bytes. */
const OVERHEAD = 256

interface Place {
  readonly inbound?: boolean
  readonly isTrusted?: boolean
  readonly mostReceived?: number
}

const place = ({ inbound = true, isTrusted = false, mostReceived }: Place = {}) => {
  const observed: Array<string> = []
  const observe = (what: string) => (about?: unknown) =>
    void observed.push(about === undefined ? what : `${what} ${String(about)}`)
  const states = { hasRoom: true, isTooMuch: false, isSpent: false, inTransport: 0 }
  let relieve = (): void => undefined
  let mayWork = (): void => undefined
  const box = inbox({ held: () => states.inTransport, abandon: observe("abandon") } as never)
  const peer = { inbound, isTrusted, isGone: false, hasRoom: () => states.hasRoom, reason: undefined, work: "none" }
  const { hosted, listener } = hostedConnection({
    peer: peer as unknown as LivePeer,
    connection: { pause: observe("pause"), resume: observe("resume") } as unknown as Connection,
    inbox: box,
    mostReceived,
    budget: {
      join: (of: unknown, relieved: () => void) => {
        assert.strictEqual(of, peer)
        relieve = relieved
        return {
          set: observe("holds"),
          waits: observe("waits"),
          progressed: observe("progressed"),
          isTooMuch: () => states.isTooMuch,
          leave: observe("leaves the budget")
        }
      }
    } as never,
    limiter: {
      join: (_: unknown, relieved: () => void) => {
        mayWork = relieved
        return { charge: observe("charge"), isSpent: () => states.isSpent, leave: observe("leaves the limiter") }
      }
    } as never,
    isHeldBack: () => false,
    arrived: ({ length }) => void observed.push(`arrived ${length}`),
    drained: observe("drained"),
    closed: (reason) => void observed.push(`closed ${disconnectText(reason)}`)
  })
  return {
    box,
    hosted,
    listener,
    mayWork: () => mayWork(),
    peer,
    relieve: () => relieve(),
    said: () => observed.splice(0),
    states
  }
}

const OWN = { inbound: false } as const

describe("a connection that is hosted", () => {
  it("has shares of budget and work only where its peer is inbound and not trusted", () => {
    for (const [how, shares] of [[{}, true], [{ isTrusted: true }, false], [OWN, false]] as const) {
      const { listener, peer, said } = place(how)
      listener.received(new Uint8Array(9))
      assert.deepStrictEqual(
        said(),
        shares ? ["arrived 9", `holds ${9 + OVERHEAD}`, "charge 9"] : ["arrived 9"]
      )
      assert.strictEqual(peer.work === "none", !shares)
    }
  })

  it("is paused above five megabytes held, and read again at half of that", () => {
    const { box, hosted, listener, said } = place(OWN)
    listener.received(new Uint8Array(5 * MEGABYTE - OVERHEAD))
    assert.notInclude(said(), "pause")
    listener.received(new Uint8Array(1))
    assert.include(said(), "pause")
    listener.received(new Uint8Array(1))
    assert.notInclude(said(), "pause", "it is paused already")
    box.held = 2.5 * MEGABYTE + 1
    hosted.relieved(false)
    assert.deepStrictEqual(said(), [])
    box.held = 2.5 * MEGABYTE
    hosted.relieved(false)
    assert.deepStrictEqual(said(), ["resume"])
    hosted.relieved(false)
    assert.deepStrictEqual(said(), [], "it is read already")
  })

  it("is paused above what an operator lets it hold", () => {
    const { listener, said } = place({ ...OWN, mostReceived: 1_000 })
    listener.received(new Uint8Array(1_000 - OVERHEAD))
    assert.notInclude(said(), "pause")
    listener.received(new Uint8Array(1))
    assert.include(said(), "pause")
  })

  it("counts what its transport holds when it fills, but not before it is read again", () => {
    const { hosted, listener, said, states } = place(OWN)
    states.inTransport = 5 * MEGABYTE
    listener.received(new Uint8Array(1))
    assert.include(said(), "pause")
    hosted.relieved(false)
    assert.deepStrictEqual(said(), ["resume"])
  })

  it("is read while its peer leaves answers unread, up to what is held of any: both sides may be sending", () => {
    const { hosted, listener, said, states } = place(OWN)
    states.hasRoom = false
    listener.received(new Uint8Array(5 * MEGABYTE - OVERHEAD))
    assert.notInclude(said(), "pause")
    listener.received(new Uint8Array(1))
    assert.include(said(), "pause")
    hosted.relieved(false)
    assert.notInclude(said(), "resume")
  })

  it("is paused while its share of the work is spent, or the budget has no room for it", () => {
    for (const lack of ["isSpent", "isTooMuch"] as const) {
      const { hosted, listener, relieve, said, states } = place()
      states[lack] = !states[lack]
      listener.received(new Uint8Array(1))
      assert.include(said(), "pause")
      relieve()
      assert.deepStrictEqual(said(), [`holds ${1 + OVERHEAD}`], lack)
      states[lack] = !states[lack]
      hosted.relieved(true)
      assert.deepStrictEqual(said(), ["progressed", `holds ${1 + OVERHEAD}`, "resume"])
    }
  })

  it("wakes its fiber for what arrives, room to send and its turn to work, also for what came on the way to sleep", () => {
    const { hosted, listener, mayWork, said } = place()
    let woken = 0
    const sleep = (): void => hosted.sleep(() => void woken++)
    sleep()
    assert.strictEqual(woken, 1, "it was awake from the beginning")
    for (const happens of [() => listener.received(new Uint8Array(1)), listener.drained, mayWork]) {
      hosted.looking()
      sleep()
      const before = woken
      happens()
      assert.strictEqual(woken, before + 1)
      happens()
      assert.strictEqual(woken, before + 1, "once")
      hosted.looking()
      happens()
      sleep()
      assert.strictEqual(woken, before + 2)
    }
    assert.include(said(), "drained")
  })

  it("waits for its own sender only while this node does not make it wait", () => {
    const { hosted, said, states } = place()
    hosted.sleep(() => undefined)
    assert.deepStrictEqual(said(), ["waits"])
    states.isSpent = true
    hosted.sleep(() => undefined)
    assert.deepStrictEqual(said(), [])
  })

  it("leaves everything when it closes, reports that later with the reason of this node first, and takes nothing more", async () => {
    for (const [own, reason] of [[undefined, "lost"], [{ _tag: "PingTimeout" }, "ping timeout"]] as const) {
      const { box, hosted, listener, peer, said } = place()
      listener.received(new Uint8Array(3))
      said()
      Object.assign(peer, { reason: own })
      let woken = 0
      hosted.looking()
      hosted.sleep(() => void woken++)
      said()
      listener.closed("lost")
      assert.deepStrictEqual(said(), ["leaves the budget", "leaves the limiter", "abandon"])
      assert.deepStrictEqual([peer.isGone, box.held, woken], [true, 0, 1])
      await Promise.resolve()
      assert.deepStrictEqual(said(), [`closed ${reason}`])
      listener.received(new Uint8Array(3))
      listener.drained()
      assert.deepStrictEqual([said(), box.held], [[], 0])
    }
  })

  it("is not read again once its peer is gone", () => {
    const { box, hosted, listener, peer, said } = place(OWN)
    listener.received(new Uint8Array(6 * MEGABYTE))
    said()
    box.held = 0
    peer.isGone = true
    hosted.relieved(false)
    assert.deepStrictEqual(said(), [])
  })
})
