import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { MAINNET } from "@lockstep/protocol/networks/mainnet.ts"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Resolve } from "../../../src/p2p/connections/find-endpoints.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { onionText } from "../../../src/net/onion.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { pass, robot } from "./robot.ts"
import { NODE, testLayer, type TestLayer } from "./test-layer.ts"

const manual = ({ service }: TestLayer) => [...service.peers.values()].filter(({ kind }) => kind === "manual")

const attempts = ({ events }: TestLayer) => events.filter(({ what }) => what === "ConnectionAttempt")

describe("connections that an operator asks for", () => {
  it.effect("stand beside the others, and are made again when they are lost", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0, options: { persistent: ["20.1.1.1"] } })
      const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
      yield* pass(layer, 2_000)
      assert.strictEqual(manual(layer).length, 1)
      other.open()[0]!.connection.close()
      yield* pass(layer, 100)
      yield* pass(layer, 5_000)
      assert.strictEqual(other.links.length, 2)
      assert.strictEqual(other.open().length, 1)
      const { peer, text } = layer.connections.manual.list()[0]!
      assert.deepStrictEqual([text, peer?.isReady], ["20.1.1.1", true])
    }))

  it.effect("that fail are tried at longer and longer intervals, up to a minute", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      assert.isUndefined(layer.connections.manual.add("20.1.1.1:7"))
      assert.strictEqual(layer.connections.manual.add("20.1.1.1:7"), "known")
      assert.strictEqual(
        layer.connections.manual.add("[::ffff:20.1.1.1]:7"),
        "known",
        "the same node, written in another way"
      )
      yield* pass(layer, 10_000)
      const first = attempts(layer).length
      assert.isAtLeast(first, 3)
      assert.isAtMost(first, 5)
      yield* pass(layer, 600_000, 1_000)
      assert.isAtMost(attempts(layer).length - first, 13)
      assert.isTrue(layer.connections.manual.remove("20.1.1.1:7"))
      const before = attempts(layer).length
      yield* pass(layer, 120_000, 1_000)
      assert.strictEqual(attempts(layer).length, before)
      assert.isFalse(layer.connections.manual.remove("20.1.1.1:7"))
    }))

  it.effect("are eight at a time, whatever the list says", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      for (let i = 0; i < 12; i++) {
        yield* robot(layer, endpoint(`${20 + i}.1.1.1:18444`))
        layer.connections.manual.add(`${20 + i}.1.1.1`)
      }
      yield* pass(layer, 20_000)
      assert.strictEqual(manual(layer).length, 8)
    }))

  it.effect("go to the own network first", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      const far = Array.from({ length: 8 }, (_, i) => `${20 + i}.1.1.1:18444`)
      layer.connections.setActive(false)
      for (const text of [...far, "192.168.1.7:18444"]) {
        yield* robot(layer, endpoint(text))
        layer.connections.manual.add(text)
      }
      layer.connections.setActive(true)
      yield* pass(layer, 20_000)
      assert.include(manual(layer).map(({ name }) => name), "192.168.1.7:18444")
      assert.strictEqual(manual(layer).length, 8)
    }))

  it.effect(
    "of an address in an old spelling are not made beside those of the same address in another",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ target: 0 })
        const other = yield* robot(layer, endpoint("20.0.1.1:18444"))
        assert.isUndefined(layer.connections.manual.add("20.257"))
        assert.strictEqual(layer.connections.manual.add("20.0.1.1:18444"), "known")
        assert.strictEqual(layer.connections.manual.add("0x14000101:18444"), "known")
        yield* pass(layer, 3_000)
        assert.strictEqual(other.open().length, 1)
        assert.strictEqual(layer.connections.manual.list()[0]?.peer?.name, "20.0.1.1:18444")
      })
  )

  it.effect(
    "that fail are a warning once for each time that the node is out of reach, and say why",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({
          target: 0,
          options: { persistent: ["20.1.1.1:18444", "[\"20.1.1.1:18444\"]"] }
        })
        const warnings = () =>
          layer.lines.filter(({ what }) => what.startsWith("warn")).map(({ about }) => about["peer"])
        const failures = () => layer.connections.manual.list().map(({ failure }) => failure)
        yield* pass(layer, 30_000)
        assert.sameMembers(warnings(), ["20.1.1.1:18444", "[\"20.1.1.1:18444\"]"])
        assert.isString(failures()[0])
        assert.strictEqual(failures()[1], "no address was found for it")
        const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
        yield* pass(layer, 61_000)
        assert.isUndefined(failures()[0])
        assert.isTrue(
          layer.lines.some(({ about, what }) =>
            what === "info: a node to stay connected to is reached again" && about["peer"] === "20.1.1.1:18444"
          )
        )
        layer.world.drop(NODE.address, other.at.address)
        yield* pass(layer, 5_000)
        assert.strictEqual(warnings().length, 2, "it came back at once")
      })
  )

  it.effect(
    "that the other node ends before the handshake are failures too; those that are tried once are no warning",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer({ target: 0 })
        yield* robot(layer, endpoint("20.1.1.1:18444"), { isSilent: true })
        layer.connections.manual.once("21.1.1.1:18444")
        layer.connections.manual.add("20.1.1.1:18444")
        yield* pass(layer, 2_000)
        assert.deepStrictEqual(layer.lines.filter(({ what }) => what.startsWith("warn")), [])
        layer.world.drop(NODE.address, endpoint("20.1.1.1:18444").address)
        yield* pass(layer, 2_000)
        assert.match(String(layer.connections.manual.list()[0]?.failure), /before the handshake was complete/)
      })
  )

  it.effect("are begun at once", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
      // The first turn is over, and the next is some time away.
      yield* pass(layer, 100)
      layer.connections.manual.add("20.1.1.1")
      yield* pass(layer, 300)
      assert.strictEqual(other.links.length, 1)
    }))

  it.effect("are not made while the network is off", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
      layer.connections.setActive(false)
      layer.connections.manual.once("20.1.1.1")
      layer.connections.manual.add("20.1.1.1")
      yield* pass(layer, 10_000)
      assert.strictEqual(other.links.length, 0)
      layer.connections.setActive(true)
      yield* pass(layer, 3_000)
      assert.strictEqual(other.open().length, 1)
    }))

  it.effect("are not made twice to the same place", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0, options: { persistent: ["20.1.1.1:18444", "20.1.1.1"] } })
      const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
      layer.connections.manual.once("20.1.1.1")
      yield* pass(layer, 10_000)
      layer.connections.manual.once("20.1.1.1")
      yield* pass(layer, 1_000)
      assert.strictEqual(other.links.length, 1)
    }))

  it.effect("to the node itself end at once", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({ target: 0 })
      layer.connections.manual.once("1.0.0.1")
      yield* pass(layer, 5_000)
      assert.strictEqual(layer.service.peers.size, 0)
      assert.isTrue(layer.lines.some(({ about }) => about["reason"] === "connected to self"))
    }))

  it.effect("may name a host", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const resolve: Resolve = (name) =>
        Effect.sync(() => {
          asked.push(name)
          return name === "node.example" ? [endpoint("20.1.1.1:1").address] : []
        })
      const layer = yield* testLayer({
        target: 0,
        options: { resolve, persistent: ["node.example:7", "missing.example"] }
      })
      yield* robot(layer, endpoint("20.1.1.1:7"))
      yield* pass(layer, 3_000)
      assert.deepStrictEqual(manual(layer).map(({ name }) => name), ["20.1.1.1:7"])
      assert.includeMembers(asked, ["node.example", "missing.example"])
      assert.strictEqual(layer.connections.manual.list()[1]!.endpoint, undefined)
      const missed = attempts(layer).find(({ about }) => about["peer"] === "missing.example")
      assert.deepStrictEqual(missed?.about, {
        peer: "missing.example",
        success: false,
        error: "no address was found for it"
      })
    }))

  it.effect("may name a host of several addresses: the first that answers will do", () =>
    Effect.gen(function*() {
      const addresses = ["20.1.1.1:1", "21.1.1.1:1", "22.1.1.1:1"].map((text) => endpoint(text).address)
      for (const there of addresses) {
        const layer = yield* testLayer({ target: 0, options: { resolve: () => Effect.succeed(addresses) } })
        yield* robot(layer, { address: there, port: 7 })
        layer.connections.manual.once("node.example:7")
        yield* pass(layer, 3_000)
        assert.deepStrictEqual(manual(layer).map(({ endpoint: { address }, writtenAs }) => [address, writtenAs]), [[
          there,
          "node.example:7"
        ]])
        layer.connections.manual.once("node.example:7")
        yield* pass(layer, 3_000)
        assert.strictEqual(manual(layer).length, 1, "a connected node is not looked for elsewhere")
      }
    }))

  it.effect(
    "may name a host that only the proxy resolves, and never an onion service that is none",
    () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const resolve: Resolve = (name) =>
          Effect.sync(() => {
            asked.push(name)
            return []
          })
        const persistent = ["node.example:7", `${"a".repeat(56)}.onion`, "NODE.example:7"]
        const layer = yield* testLayer({ target: 0, options: { resolve, namesToProxy: true, persistent } })
        yield* pass(layer, 500)
        assert.deepStrictEqual(attempts(layer).map(({ about }) => about["peer"]), [
          `${"a".repeat(56)}.onion`,
          "node.example:7"
        ])
        const without = yield* testLayer({
          target: 0,
          options: { resolve, persistent: [`${"a".repeat(56)}.onion`, `${"b".repeat(52)}.b32.i2p`] }
        })
        yield* pass(without, 2_000)
        assert.deepStrictEqual(asked, [])
      })
  )
})

describe("seeds", () => {
  const asking = (asked: Array<string>, answer: ReadonlyArray<string>): Resolve => (name) =>
    Effect.sync(() => {
      asked.push(name)
      return answer.map((each) => endpoint(`${each}:1`).address)
    })

  it.effect("DNS seeds are queried at once when no node is known", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const layer = yield* testLayer({
        network: MAINNET,
        options: {
          resolve: asking(asked, ["20.1.1.1", "21.1.1.1"]),
          seeding: { names: ["seed.example", "b.example"], built: [] }
        }
      })
      yield* pass(layer, 1_000)
      assert.sameMembers(asked, ["x9.seed.example.", "x9.b.example."])
      assert.strictEqual(layer.service.book.size(), 2)
      assert.deepStrictEqual(layer.service.book.table.list.map(({ port }) => port), [8_333, 8_333])
      yield* pass(layer, 60_000, 1_000)
      assert.strictEqual(asked.length, 2)
    }))

  it.effect(
    "name servers are asked three at a time while some nodes are known, until two are connected to",
    () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const layer = yield* testLayer({
          options: {
            resolve: asking(asked, []),
            seeding: { names: ["a", "b", "c", "d", "e"].map((name) => `${name}.example`), built: [] }
          }
        })
        layer.service.book.add(
          [{ ...endpoint("20.1.1.1:8333"), services: 9n, time: 1_700_193_000 }],
          endpoint("20.1.1.1:1").address
        )
        yield* pass(layer, 10_000)
        const servers = () => asked.filter((name) => name.startsWith("x9.")).length
        assert.strictEqual(servers(), 0)
        yield* pass(layer, 2_000)
        assert.strictEqual(servers(), 3)
        for (const at of ["30.1.1.1", "31.1.1.1"]) {
          yield* robot(layer, endpoint(`${at}:18444`))
          layer.connections.manual.add(at)
        }
        yield* pass(layer, 20_000)
        assert.strictEqual(servers(), 3)
      })
  )

  it.effect("a DNS seed that does not filter by services is itself asked for addresses", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const resolve: Resolve = (name) =>
        Effect.sync(() => {
          asked.push(name)
          return name === "seed.example." ? [endpoint("20.1.1.1:1").address] : []
        })
      const layer = yield* testLayer({
        network: MAINNET,
        options: { resolve, seeding: { names: ["seed.example"], built: [] } }
      })
      yield* pass(layer, 1_000)
      assert.deepStrictEqual(asked, ["x9.seed.example.", "seed.example."])
      assert.deepStrictEqual(attempts(layer).map(({ about }) => about["peer"]), ["20.1.1.1:8333"])
    }))

  it.effect(
    "behind a proxy, nodes behind the seeds' names send addresses, and no seed is queried",
    () =>
      Effect.gen(function*() {
        const asked: Array<string> = []
        const layer = yield* testLayer({
          network: MAINNET,
          options: {
            resolve: asking(asked, ["20.1.1.1"]),
            namesToProxy: true,
            seeding: { names: ["seed.example"], built: [] }
          }
        })
        yield* pass(layer, 20_000)
        assert.deepStrictEqual(asked, [])
        assert.deepStrictEqual(attempts(layer).map(({ about }) => about["peer"]), ["seed.example:8333"])
      })
  )

  it.effect("the fixed seeds are used when DNS seeds answer nothing", () =>
    Effect.gen(function*() {
      const layer = yield* testLayer({
        options: { resolve: asking([], []), seeding: { names: ["seed.example"], built: [endpoint("20.1.1.1:8333")] } }
      })
      yield* pass(layer, 59_000, 500)
      assert.strictEqual(layer.service.book.size(), 0)
      yield* pass(layer, 2_000, 500)
      assert.strictEqual(layer.service.book.size(), 1)
    }))

  it.effect(
    "the addresses of the release are used for networks in which none is known, and peers are chosen",
    () =>
      Effect.gen(function*() {
        const onion = `${onionText(new Uint8Array(32).fill(7))}:8333`
        const built = [endpoint("20.1.1.1:8333"), endpoint("[2a00::1]:8333"), endpoint(onion)]
        const known = (reachable: ReadonlyArray<AddressKind>) =>
          Effect.gen(function*() {
            const layer = yield* testLayer({
              options: { reachable: new Set(reachable), seeding: { names: [], built } }
            })
            layer.service.book.add([{
              ...endpoint("30.1.1.1:8333"),
              services: 9n,
              time: Math.floor(layer.clock.now() / 1_000)
            }], endpoint("30.1.1.1:1").address)
            yield* pass(layer, 2_000, 500)
            return layer.service.book.table.list.map(endpointText).toSorted()
          })
        assert.deepStrictEqual(yield* known(["onion"]), ["30.1.1.1:8333", onion].toSorted())
        assert.deepStrictEqual(yield* known(["ipv4"]), ["30.1.1.1:8333"])
        assert.deepStrictEqual(yield* known(["ipv4", "ipv6"]), ["30.1.1.1:8333", "[2a00::1]:8333"].toSorted())
      })
  )

  it.effect("no seed is queried where none is configured", () =>
    Effect.gen(function*() {
      const asked: Array<string> = []
      const layer = yield* testLayer({ options: { resolve: asking(asked, []) } })
      yield* pass(layer, 120_000, 1_000)
      assert.deepStrictEqual([asked.length, layer.service.book.size()], [0, 0])
    }))
})
