import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PeersConfig } from "../../src/config/config.ts"
import { listeningOf } from "../../src/p2p/layer/configured-listening.ts"
import { learnedNetwork } from "../../src/p2p/addresses/learned-network.ts"
import { boundEndpoints } from "../../src/p2p/connections/bound-endpoints.ts"
import { endpoint } from "./transport/transport-suite.ts"

const place = (host: string, port: number) => ({ host, port })

const PLAIN = {
  isListening: true,
  isListenGiven: false,
  listen: place("127.0.0.1", 18_444),
  moreListen: [],
  onionListen: [],
  quic: undefined
}

const listening = (changes: Partial<PeersConfig> = {}) =>
  listeningOf({ ...PLAIN, ...changes } as unknown as PeersConfig)

const quic = (isOnly: boolean) => ({ listen: place("127.0.0.1", 18_450), isOnly }) as PeersConfig["quic"]

describe("the places where a node listens", () => {
  it.effect("are the configured one, which may be in use unless it was given", () =>
    Effect.gen(function*() {
      const plain = { listen: endpoint("127.0.0.1:18444"), alsoListen: [], onionListen: [], mustListen: false }
      assert.deepStrictEqual(yield* listening(), plain)
      assert.deepStrictEqual(yield* listening({ isListenGiven: true }), { ...plain, mustListen: true })
    }))

  it.effect("may be more where they can be had", () =>
    Effect.gen(function*() {
      const { mayListen, mustListen } = yield* listening({ mayListen: [place("::", 18_444)] })
      assert.deepStrictEqual([mayListen, mustListen], [[endpoint("[::]:18444")], false])
    }))

  it.effect("are none where it does not listen", () =>
    Effect.gen(function*() {
      const none = { listen: undefined, alsoListen: [], mustListen: false }
      assert.deepStrictEqual(yield* listening({ isListening: false, quic: quic(true) }), none)
      const more = { isListening: false, moreListen: [place("127.0.0.2", 1)] }
      assert.deepStrictEqual(yield* listening(more), { ...none, mustListen: true })
    }))

  it.effect("include those that an onion service leads to, which may be the only ones", () =>
    Effect.gen(function*() {
      const onionListen = [place("127.0.0.1", 18_445)]
      assert.deepStrictEqual(yield* listening({ onionListen }), {
        listen: endpoint("127.0.0.1:18444"),
        alsoListen: [],
        onionListen: [endpoint("127.0.0.1:18445")],
        mustListen: true
      })
      assert.deepStrictEqual(yield* listening({ onionListen: [PLAIN.listen], moreListen: [place("127.0.0.2", 1)] }), {
        listen: endpoint("127.0.0.2:1"),
        alsoListen: [],
        onionListen: [endpoint("127.0.0.1:18444")],
        mustListen: true
      })
      assert.isUndefined((yield* listening({ onionListen: [PLAIN.listen] })).listen)
      const { message } = yield* Effect.flip(listening({ onionListen: [place("name.example", 1)] }))
      assert.match(message, /^onion_listen_addrs: name\.example is a name/)
    }))

  it.effect("end with that of QUIC, which is the only one where no other transport is wanted", () =>
    Effect.gen(function*() {
      const over = { ...endpoint("127.0.0.1:18450"), quic: { identity: undefined } }
      assert.deepStrictEqual(yield* listening({ quic: quic(false), moreListen: [place("127.0.0.2", 1)] }), {
        listen: endpoint("127.0.0.1:18444"),
        alsoListen: [endpoint("127.0.0.2:1"), over],
        onionListen: [],
        mustListen: true
      })
      assert.isTrue((yield* listening({ quic: quic(false) })).mustListen)
      assert.deepStrictEqual(yield* listening({ quic: quic(true) }), { listen: over, mustListen: true })
      const named = { listen: place("name.example", 1), isOnly: false } as PeersConfig["quic"]
      assert.match((yield* Effect.flip(listening({ quic: named }))).message, /^quic_listen_addr: name\.example/)
    }))

  it("are known once it is bound to them", () => {
    const { bind, current } = boundEndpoints()
    assert.deepStrictEqual(current(), [])
    bind([endpoint("127.0.0.1:1"), endpoint("127.0.0.1:2")])
    assert.deepStrictEqual(current(), [endpoint("127.0.0.1:1"), endpoint("127.0.0.1:2")])
  })
})

describe("what other programs say of the network", () => {
  const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"
  const proxy = endpoint("127.0.0.1:9050")

  it("is a proxy to Tor's network, which can be reached from then on unless the operator rules it out", () => {
    for (const mayReach of [true, false]) {
      const reachable = new Set<"ipv4" | "onion">(["ipv4"])
      const asked: Array<string> = []
      const learned = learnedNetwork(reachable as never, (kind) => {
        asked.push(kind)
        return mayReach
      })
      assert.isUndefined(learned.onionProxy())
      learned.learnOnionProxy(proxy)
      assert.deepStrictEqual([learned.onionProxy(), asked], [proxy, ["onion"]])
      assert.deepStrictEqual([...reachable], mayReach ? ["ipv4", "onion"] : ["ipv4"])
    }
  })

  it("are addresses of this node, of networks that it reaches, until they lead nowhere", () => {
    const reachable = new Set<"ipv4" | "onion">(["ipv4"])
    const { addOwn, own, removeOwn } = learnedNetwork(reachable as never, () => true)
    const [hidden, open] = [endpoint(ONION), endpoint("9.9.9.9:1")]
    addOwn(hidden)
    addOwn(open)
    addOwn({ ...open })
    assert.deepStrictEqual(own(), [{ ...open, score: 4 }])
    reachable.add("onion")
    assert.deepStrictEqual(own(), [{ ...hidden, score: 4 }, { ...open, score: 4 }])
    removeOwn(endpoint("9.9.9.9:2"))
    removeOwn(endpoint("9.9.9.9:1"))
    assert.deepStrictEqual(own(), [{ ...hidden, score: 4 }])
  })
})
