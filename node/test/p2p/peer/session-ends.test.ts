import { assert, describe, it } from "@effect/vitest"
import type { MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { LivePeer } from "../../../src/p2p/peer/live-peer.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { OwnVersionInfo } from "../../../src/p2p/peer/session/own-version.ts"
import { session } from "../../../src/p2p/peer/session/session.ts"
import { UDP_ADDRESSES } from "../../../src/p2p/peer/session/udp-feature.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { testCrypto } from "../../engine/test-engine.ts"
import { chainModel, scriptedPeer } from "../sync/chain-model.ts"
import { usualVersion } from "./scripted-peer.ts"

const MINUTE = 60_000
const START = 1_700_000_000_000

/** A session with one peer that is played from both sides, without a connection. */
const place = (
  { info = {}, kind = "inbound", ready = false, version }: {
    readonly info?: Partial<OwnVersionInfo>
    readonly kind?: PeerKind
    readonly ready?: boolean
    readonly version?: number
  } = {}
) => {
  const traced: Array<string> = []
  const model = chainModel(START / 1_000)
  const context = {
    ...model.context,
    notify: { ...model.context.notify, trace: ({ _tag }: { readonly _tag: string }) => void traced.push(_tag) }
  } as typeof model.context
  const talk = session(context, { userAgent: "/me/", wantsTransactions: true, ...info })
  const peer = scriptedPeer(1, kind, 0x409n, START)
  const payloads: Array<readonly [command: string, payload: Uint8Array]> = []
  Object.assign(peer, {
    sendPayload: (command: string, payload: Uint8Array) => void payloads.push([command, payload]),
    isReady: ready,
    hello: version === undefined
      ? undefined
      : { ...peer.hello!, version, wtxidRelay: false, wantsAddrV2: false, packages: 0n }
  })
  talk.connected(peer as unknown as LivePeer)
  const hear = (message: MessageOf<"version" | "wtxidrelay" | "sendaddrv2" | "sendpackages">): void => {
    const instead = talk.guards?.[message.command]?.(peer, new Uint8Array())
    const handler = talk.handlers[message.command] as (from: unknown, of: unknown) => Effect.Effect<void>
    Effect.runSync(instead ?? handler(peer, message))
  }
  const feature = (payload: Uint8Array): void => Effect.runSync(Result.getOrThrow(talk.raw!.feature!(peer, payload)))
  const endsAt = (now: number): string | undefined => {
    talk.tickAll!(unixMilliseconds(now))
    return peer.gone?.reason
  }
  return { endsAt, feature, hear, payloads, peer, talk, traced }
}

const commands = ({ peer }: ReturnType<typeof place>): ReadonlyArray<string> => peer.sent.map(({ command }) => command)

describe("why a silent connection ends", () => {
  const silent = (received: number, sent: number, more: object = {}) => {
    const made = place({ ready: true, version: 70_016 })
    Object.assign(made.peer.traffic, { lastReceive: unixMilliseconds(received), lastSend: unixMilliseconds(sent) })
    Object.assign(made.peer, more)
    return made
  }

  it("nothing ever came or went within a minute", () => {
    const first = "socket no message in first 60 seconds"
    assert.isUndefined(silent(0, 0).endsAt(START + MINUTE - 1))
    assert.strictEqual(
      silent(0, 0).endsAt(START + MINUTE),
      `${first}, never received from peer, never sent to peer`
    )
    assert.strictEqual(silent(START, 0).endsAt(START + MINUTE), `${first}, never sent to peer`)
    assert.strictEqual(silent(0, START).endsAt(START + MINUTE), `${first}, never received from peer`)
    const sinceEver = `socket sending timeout: ${Math.floor((START + MINUTE - 1) / 1_000)}s`
    assert.strictEqual(silent(1, 1).endsAt(START + MINUTE), sinceEver, "a byte counts, whenever it came")
  })

  it("the handshake of the transport, or of the session, takes more than a minute", () => {
    const detecting = { transport: { kind: () => "detecting" }, isReady: false }
    assert.strictEqual(silent(START, START, detecting).endsAt(START + MINUTE), "V2 handshake timeout")
    assert.strictEqual(silent(START, START, { isReady: false }).endsAt(START + MINUTE), "version handshake timeout")
    assert.isUndefined(silent(START, START).endsAt(START + MINUTE))
  })

  it("nothing came, or went, for twenty minutes", () => {
    const late = START + 25 * MINUTE
    assert.isUndefined(silent(START + 5 * MINUTE, late).endsAt(late))
    assert.strictEqual(silent(START + 5 * MINUTE - 1, late).endsAt(late), "socket receive timeout: 1200s")
    assert.isUndefined(silent(late, START + 5 * MINUTE).endsAt(late))
    assert.strictEqual(silent(late, START + 5 * MINUTE - 1).endsAt(late), "socket sending timeout: 1200s")
  })
})

describe("what this node says when it has heard a version", () => {
  const heard = (version: number, more: Parameters<typeof place>[0] = {}) => {
    const made = place(more)
    made.hear({ ...usualVersion, version })
    return made
  }

  it("names what it can do, to those that may know it", () => {
    assert.deepStrictEqual(commands(heard(70_015)), ["version", "verack"])
    assert.deepStrictEqual(commands(heard(70_016)), ["version", "wtxidrelay", "sendaddrv2", "verack"])
    const all = { info: { relaysPackages: true, knowsUdpAddresses: true } }
    assert.deepStrictEqual(commands(heard(70_016, all)), [
      "version",
      "wtxidrelay",
      "sendaddrv2",
      "sendpackages",
      "verack"
    ])
    const newest = heard(70_017, all)
    assert.deepStrictEqual(commands(newest), [
      "version",
      "wtxidrelay",
      "sendaddrv2",
      "sendpackages",
      "feature",
      "verack"
    ])
    assert.deepStrictEqual(newest.peer.sent[4], { command: "feature", id: UDP_ADDRESSES, data: new Uint8Array(0) })
  })

  it("sends the final alert to those that know alerts, as Bitcoin Core does", () => {
    assert.deepStrictEqual(heard(70_013).payloads, [])
    const [[command, payload]] = heard(70_012).payloads as [readonly [string, Uint8Array]]
    assert.strictEqual(command, "alert")
    assert.lengthOf(payload, 168)
    assert.include(Buffer.from(payload).toString("latin1"), "/URGENT: Alert key compromised, upgrade required\0")
    assert.strictEqual(
      Buffer.from(testCrypto.sha256d(payload)).toString("hex"),
      "1bf9aaeaf1f6e958bf9fb7f7bcbe0733c1a41d2412f44452e3a92603351a535e"
    )
  })

  it("says that a peer offers too little, in eight digits", () => {
    const { peer } = heard(70_016, { kind: "outbound-full-relay" })
    assert.isUndefined(peer.gone)
    const poor = place({ kind: "outbound-full-relay" })
    poor.hear({ ...usualVersion, services: ServiceFlag.NETWORK })
    assert.strictEqual(
      poor.peer.gone?.reason,
      "peer does not offer the expected services (00000001 offered, 00000009 expected)"
    )
    assert.deepStrictEqual(poor.peer.sent.map(({ command }) => command), ["version"])
  })

  it("refuses a version from before all that is spoken now", () => {
    assert.strictEqual(heard(31_799).peer.gone?.reason, "peer using obsolete version 31799")
    assert.isUndefined(heard(31_800).peer.gone)
  })

  it("hears no second version", () => {
    const made = heard(70_016)
    made.hear({ ...usualVersion, version: 70_015 })
    assert.deepStrictEqual([made.peer.hello?.version, commands(made).length, made.traced], [70_016, 4, ["LeftOut"]])
  })
})

describe("what a peer says between version and verack", () => {
  it("announcements by witness ids count from the version on that has them", () => {
    for (const [version, counts] of [[70_015, false], [70_016, true], [undefined, undefined]] as const) {
      const { hear, peer } = place(version === undefined ? {} : { version })
      hear({ command: "wtxidrelay" })
      assert.deepStrictEqual([peer.hello?.wtxidRelay, peer.gone], [counts, undefined])
    }
  })

  it("addresses of every network are sent to one that asked, whatever its version", () => {
    for (const [version, counts] of [[70_001, true], [undefined, undefined]] as const) {
      const { hear, peer } = place(version === undefined ? {} : { version })
      hear({ command: "sendaddrv2" })
      assert.deepStrictEqual([peer.hello?.wantsAddrV2, peer.gone], [counts, undefined])
    }
  })

  it("packages count where they are offered, and are refused afterwards", () => {
    const packages = (relaysPackages: boolean, ready: boolean) => {
      const { hear, peer } = place({ info: { relaysPackages }, ready, version: 70_016 })
      hear({ command: "sendpackages", versions: 3n })
      return [peer.hello?.packages, peer.gone?.reason]
    }
    assert.deepStrictEqual(packages(true, false), [3n, undefined])
    assert.deepStrictEqual(packages(false, false), [0n, undefined])
    assert.deepStrictEqual(packages(true, true), [0n, "sendpackages received after verack"])
    assert.deepStrictEqual(packages(false, true), [0n, undefined])
  })

  it("addresses over QUIC and Iroh are sent to one that named that feature, where this node understands them", () => {
    const named = (id: Uint8Array) => Uint8Array.of(id.length, ...id, 0)
    const other = new Uint8Array(Buffer.from("other"))
    const heard = (knowsUdpAddresses: boolean, id: Uint8Array) => {
      const { feature, peer, traced } = place({ info: { knowsUdpAddresses }, version: 70_017 })
      Object.assign(peer.hello!, { knowsUdpAddresses: false })
      feature(named(id))
      return [peer.hello!.knowsUdpAddresses, traced, peer.gone]
    }
    assert.deepStrictEqual(heard(true, UDP_ADDRESSES), [true, [], undefined])
    assert.deepStrictEqual(heard(true, other), [false, ["UnknownFeature"], undefined])
    assert.deepStrictEqual(heard(false, UDP_ADDRESSES), [false, ["UnknownFeature"], undefined])
  })

  it("a feature ends the connection of a peer too old for it, or after verack, or when it is none", () => {
    const ended = (version: number, ready: boolean, payload = Uint8Array.of(4, 1, 1, 1, 1, 0)) => {
      const { feature, peer } = place({ ready, version })
      feature(payload)
      return peer.gone?.reason
    }
    assert.isUndefined(ended(70_017, false))
    assert.strictEqual(ended(70_016, false), "feature received with incompatible version 70016")
    assert.strictEqual(ended(70_017, true), "feature received after verack")
    assert.strictEqual(ended(70_017, false, Uint8Array.of(4, 1)), "invalid feature payload")
    const { feature, peer } = place()
    feature(Uint8Array.of(4, 1, 1, 1, 1, 0))
    assert.strictEqual(peer.gone?.reason, "feature received with incompatible version 0")
  })
})

describe("a peer that is ready", () => {
  it("is sent sendcmpct from its version on, and is pinged", () => {
    const sent = (version: number) => {
      const made = place({ version })
      made.peer.isReady = true
      made.talk.ready!(made.peer)
      return commands(made)
    }
    assert.deepStrictEqual(sent(70_013), ["ping"])
    assert.deepStrictEqual(sent(70_014), ["sendcmpct", "ping"])
  })
})
