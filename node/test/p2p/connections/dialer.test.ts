import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import { PREFIX_GROUPS } from "../../../src/net/net-groups.ts"
import { census } from "../../../src/p2p/connections/connection-census.ts"
import { type Attempt, makeDialer } from "../../../src/p2p/connections/dialer.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import type { P2pContext } from "../../../src/p2p/peer/p2p-context.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { Taken } from "../../../src/p2p/peer/peer-host.ts"
import { type Connection, DialError, type Transport } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds, unixSeconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

/** Places of the form N.0.0.1:8333. */
const at = (i: number) => endpoint(`${i}.0.0.1:8333`)

const attempt = (i: number, isV2 = true): Attempt => ({ endpoint: at(i), kind: "outbound-full-relay", isV2 })

const NOW = unixMilliseconds(1_700_000_000_000)

type Outcome = "open" | "late" | "fails" | "hangs"

/** A dialer whose attempts come out as `outcomeOf` says. */
const place = (outcomeOf: (i: number) => Outcome = () => "open") =>
  Effect.gen(function*() {
    const network = { isOn: true, mayRetry: true }
    const dialed: Array<readonly [place: number, isV2: boolean]> = []
    const taken: Array<Taken> = []
    const closed: Array<number> = []
    const observed: Array<unknown> = []
    const said: Array<string> = []
    const transport: Transport = {
      name: "scripted",
      dial: ({ address }, accept) => {
        const number = address.bytes[0]!
        dialed.push([number, dialer.underWay.get([...dialer.underWay.keys()].at(-1)!)!.isV2])
        if (outcomeOf(number) === "hangs") return Effect.never
        if (outcomeOf(number) === "fails") {
          return Effect.fail(new DialError({ message: "ECONNREFUSED", isProxy: false }))
        }
        const wait = outcomeOf(number) === "late"
          ? Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          : Effect.void
        return Effect.map(wait, () => {
          const connection = { remote: at(number), close: () => void closed.push(number) } as unknown as Connection
          accept(connection)
          return connection
        })
      },
      listen: (bind) => Effect.succeed(bind)
    }
    const notify = {
      event: (type: string, payload: object) => void (type === "ConnectionAttempt" && observed.push(payload)),
      log: () => undefined,
      trace: (each: TraceEvent) => void (each._tag === "Dialing" && said.push(...coreTexts(each)))
    }
    const host = {
      take: (_: Connection, how: Taken) => {
        taken.push(how)
        return { received: () => undefined, drained: () => undefined, closed: () => undefined }
      }
    }
    const environment = { now: () => NOW }
    const dialer = yield* makeDialer({ environment, notify } as unknown as P2pContext, transport, host, () =>
      network.isOn, () =>
      network.mayRetry)
    const settle = Effect.promise(() =>
      new Promise((resolve) =>
        setImmediate(resolve)
      )
    )
    return { closed, dialed, dialer, network, settle, taken, said, observed }
  })

describe("the dialer", () => {
  it.effect("logs how many hours ago addrman saw the address that it tries", () =>
    Effect.gen(function*() {
      const { dialer, said } = yield* place(() => "hangs")
      dialer.dial({ ...attempt(1), lastSeen: unixSeconds(1_700_000_000 - 5_400) })
      dialer.dial({ ...attempt(2, false), kind: "private-broadcast", lastSeen: unixSeconds(1_700_000_000 - 36) })
      assert.deepStrictEqual(said, [
        "trying v2 connection (outbound-full-relay) to 1.0.0.1:8333, lastseen=1.5hrs",
        "trying v1 connection (private-broadcast) to 2.0.0.1:8333, lastseen=0.0hrs"
      ])
    }))

  it.effect("has at most 16 attempts under way, and one to an endpoint", () =>
    Effect.gen(function*() {
      const { dialed, dialer } = yield* place(() => "hangs")
      for (let i = 1; i <= 15; i++) assert.isTrue(dialer.dial(attempt(i)))
      assert.isFalse(dialer.dial(attempt(3)))
      assert.isTrue(dialer.dial(attempt(16)))
      assert.isFalse(dialer.dial(attempt(17)))
      assert.strictEqual(dialed.length, 16)
      assert.strictEqual(dialer.underWay.size, 16)
    }))

  it.effect("says what became of an attempt, to the caller and as an event", () =>
    Effect.gen(function*() {
      const { dialer, settle, observed } = yield* place((i) => i === 1 ? "open" : "fails")
      const results: Array<string | undefined> = []
      for (const i of [1, 2]) dialer.dial(attempt(i), (error) => results.push(error?.message))
      yield* settle
      assert.deepStrictEqual(results, [undefined, "ECONNREFUSED"])
      assert.deepStrictEqual(observed, [
        { peer: "1.0.0.1:8333", success: true },
        { peer: "2.0.0.1:8333", success: false, error: "ECONNREFUSED" }
      ])
      assert.strictEqual(dialer.underWay.size, 0)
    }))

  it.effect("dials nothing while the network is off, and closes what was opened meanwhile", () =>
    Effect.gen(function*() {
      const { closed, dialed, dialer, network, settle, taken } = yield* place(() => "late")
      network.isOn = false
      assert.isFalse(dialer.dial(attempt(1)))
      network.isOn = true
      assert.isTrue(dialer.dial(attempt(2)))
      assert.isTrue(dialer.dial(attempt(3)))
      network.isOn = false
      while (taken.length < 2) yield* settle
      assert.deepStrictEqual([dialed.map(([number]) => number), closed], [[2, 3], [2, 3]])
    }))

  it.effect("dials a node that did not answer v2 once more with v1, unless it may not", () =>
    Effect.gen(function*() {
      const { dialed, dialer, network, said, settle, taken } = yield* place()
      dialer.dial(attempt(1))
      yield* settle
      taken[0]!.unanswered!()
      yield* settle
      assert.deepStrictEqual(dialed, [[1, true], [1, false]])
      const tried = attempt(1)
      assert.deepStrictEqual(
        said,
        ["v2", "v1"].map((version) =>
          `trying ${version} connection (${tried.kind}) to ${endpointText(tried.endpoint)}, lastseen=0.0hrs`
        )
      )
      network.mayRetry = false
      taken[0]!.unanswered!()
      network.mayRetry = true
      network.isOn = false
      taken[0]!.unanswered!()
      yield* settle
      assert.strictEqual(dialed.length, 2)
      assert.deepStrictEqual(dialer.retries(), [])
    }))

  /** Node 1 waits to be dialed with v1, as 16 others are under way. */
  const waiting = Effect.gen(function*() {
    const one = yield* place((i) => i === 1 ? "open" : "hangs")
    one.dialer.dial(attempt(1))
    yield* one.settle
    for (let i = 2; i <= 17; i++) one.dialer.dial(attempt(i))
    one.taken[0]!.unanswered!()
    return one
  })

  it.effect("keeps a node that cannot be dialed with v1 at once until there is room", () =>
    Effect.gen(function*() {
      const { dialer } = yield* waiting
      dialer.tick()
      assert.deepStrictEqual(dialer.retries(), [{ ...attempt(1), isV2: false }])
    }))

  it.effect("forgets nodes that wait to be dialed with v1 when the network is switched off", () =>
    Effect.gen(function*() {
      const { dialed, dialer, network } = yield* waiting
      const before = dialed.length
      network.isOn = false
      dialer.tick()
      assert.deepStrictEqual(dialer.retries(), [])
      network.isOn = true
      dialer.tick()
      assert.strictEqual(dialed.length, before)
    }))
})

describe("the census of connections", () => {
  interface Sketch {
    readonly place?: string
    readonly kind?: PeerKind
    readonly isGone?: boolean
    readonly transport?: "detecting" | "v1" | "v2"
    readonly received?: number
  }

  const of = (sketches: ReadonlyArray<Sketch>, underWay: ReadonlyArray<Attempt> = [], retries = underWay) => {
    const peers = sketches.map((
      { isGone = false, kind = "outbound-full-relay", place: text = "20.1.1.1:1", received = 0, transport = "v2" },
      id
    ) =>
      ({
        id,
        kind,
        inbound: kind === "inbound",
        isGone,
        endpoint: endpoint(text),
        traffic: { bytesReceived: received },
        transport: { kind: () => transport }
      }) as Peer
    )
    const dialer = {
      underWay: new Map(underWay.map((each, i) => [String(i), each])),
      retries: () => retries.filter((each) => !underWay.includes(each))
    }
    return census(new Map(peers.map((peer) => [peer.id, peer])), dialer, PREFIX_GROUPS)
  }

  it("counts connections and attempts by kind, and none that have ended", () => {
    const found = of([{}, { isGone: true }, { kind: "manual" }], [attempt(5)])
    assert.strictEqual(found.count("outbound-full-relay"), 2)
    assert.strictEqual(found.count("manual"), 1)
    assert.strictEqual(of([], [], [attempt(5)]).count("outbound-full-relay"), 1, "one that waits to be dialed again")
  })

  it("counts an ended one that will be dialed again for v1: it was ours, and nothing came of it", () => {
    const ended: Sketch = { isGone: true, transport: "detecting" }
    assert.strictEqual(of([ended]).count("outbound-full-relay"), 1)
    assert.strictEqual(of([{ ...ended, received: 1 }]).count("outbound-full-relay"), 0)
    assert.strictEqual(of([{ ...ended, transport: "v2" }]).count("outbound-full-relay"), 0)
    assert.strictEqual(of([{ ...ended, transport: "v1" }]).count("outbound-full-relay"), 0)
    assert.strictEqual(of([{ ...ended, kind: "inbound" }]).count("inbound"), 0)
  })

  const KINDS = ["outbound-full-relay", "block-relay-only", "manual", "feeler", "addr-fetch", "inbound"] as const
  const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"

  it("knows the groups of lasting outbound connections over IP, and reaches hidden services one by one", () => {
    const found = of(KINDS.map((kind, i) => ({ kind, place: `${20 + i}.1.1.1:1` })))
    assert.strictEqual(found.groups().size, 3)
    assert.strictEqual(found.reached(), 3)
    const hidden = of([{ place: ONION }, { place: ONION, kind: "manual" }, { place: ONION, kind: "feeler" }, {}])
    assert.strictEqual(hidden.groups().size, 1)
    assert.strictEqual(hidden.reached(), 3)
  })

  it("knows the networks of full-relay and manual connections", () => {
    const networks = (kind: PeerKind) => [...of([{ kind, place: "[2a01::1]:1" }]).networks()]
    assert.deepStrictEqual(KINDS.map(networks), [["ipv6"], [], ["ipv6"], [], [], []])
  })

  it("knows whether an endpoint or an address is connected to or dialed", () => {
    const found = of([{ place: "20.1.1.1:8333" }], [attempt(30)])
    const isConnected = (text: string) => [
      found.isConnectedTo(endpoint(text)),
      found.isConnectedToAddress(endpoint(text).address)
    ]
    assert.deepStrictEqual(isConnected("20.1.1.1:8333"), [true, true])
    assert.deepStrictEqual(isConnected("20.1.1.1:8334"), [false, true])
    assert.deepStrictEqual(isConnected("30.0.0.1:8333"), [true, true])
    assert.deepStrictEqual(isConnected("31.0.0.1:8333"), [false, false])
  })
})
