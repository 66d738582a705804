import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { METHODS } from "../../src/methods/table.ts"
import type { JsonMembers, JsonRead } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { asmapGroups } from "../../src/net/net-groups.ts"
import { TWO_SYSTEMS } from "../p2p/asmap/two-systems.ts"
import { caller, pass, robot } from "../p2p/connections/robot.ts"
import { testLayer } from "../p2p/connections/test-layer.ts"
import { hollowBlock, stillChain } from "../p2p/peer/still-chain.ts"
import { endpoint } from "../p2p/transport/transport-suite.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { bearer, exchange } from "./http-exchange.ts"
import { fits } from "./result-fits.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

const SERVICES = 1n | (1n << 3n)
const NOW = 1_700_193_573

type Fields = Readonly<Record<string, unknown>>

/** A node with a network layer, asked over HTTP. */
const place = Effect.fnUntraced(function*(options: Parameters<typeof testLayer>[0] = { target: 0 }) {
  const layer = yield* testLayer(options)
  const { address } = yield* testServer({
    directory: yield* temporaryDirectory,
    chain: fakeChain({
      relayFees: () => Effect.succeed({ minRelayFee: 777n, incrementalRelayFee: 333n })
    }),
    network: layer.service
  })
  const call = (method: string, ...params: ReadonlyArray<unknown>) => Effect.promise(() => ask(address, method, params))
  const result = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(call(method, ...params), (answer) => {
      assert.isUndefined(answer.error, JSON.stringify(answer.error))
      return answer.result
    })
  const error = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.map(call(method, ...params), ({ error: found }) => [found?.code, found?.message.split("\n")[0]])
  const raw = (method: string): Effect.Effect<JsonRead> =>
    Effect.promise(async (): Promise<JsonRead> => {
      const { body } = await exchange(address, {
        headers: { authorization: bearer("admin-token") },
        body: JSON.stringify({ jsonrpc: "1.0", id: 1, method, params: [] })
      })
      return (readJson(body.trimEnd()) as JsonMembers).get("result") ?? null
    })
  return { ...layer, layer, call, result, error, raw }
})

describe("methods about other nodes", () => {
  it.effect("getpeerinfo and getrawaddrman name the autonomous system where there is a map", () =>
    Effect.gen(function*() {
      const { layer, result } = yield* place({ target: 0, options: { groups: asmapGroups(TWO_SYSTEMS) } })
      yield* caller(layer, endpoint("21.1.1.1:1"))
      yield* pass(layer, 3_000)
      assert.deepInclude((yield* result("getpeerinfo")) as ReadonlyArray<Fields>, {
        ...((yield* result("getpeerinfo")) as ReadonlyArray<Fields>)[0],
        mapped_as: 64_512
      })
      assert.deepStrictEqual(yield* result("addpeeraddress", "200.1.1.1", 8_333), { success: true })
      const { new: entries } = (yield* result("getrawaddrman")) as { readonly new: Readonly<Record<string, Fields>> }
      const [entry] = Object.values(entries)
      assert.deepStrictEqual([entry!["mapped_as"], entry!["source_mapped_as"]], [64_513, 64_513])
    }))

  it.effect("getpeerinfo describes each peer in the words of Bitcoin Core", () =>
    Effect.gen(function*() {
      const { call, layer, raw, result } = yield* place()
      const other = yield* robot(layer, endpoint("20.1.1.1:18444"))
      yield* caller(layer, endpoint("21.1.1.1:1"))
      assert.deepStrictEqual(yield* result("getpeerinfo"), [])
      assert.isNull(yield* result("addnode", "20.1.1.1", "onetry"))
      yield* pass(layer, 3_000)
      const peers = (yield* result("getpeerinfo")) as ReadonlyArray<Fields>
      assert.strictEqual(peers.length, 2)
      const manual = peers.find(({ connection_type: type }) => type === "manual")!
      assert.deepStrictEqual(Object.keys(manual), [
        "id",
        "addr",
        "addrbind",
        "network",
        "services",
        "servicesnames",
        "relaytxes",
        "last_inv_sequence",
        "inv_to_send",
        "lastsend",
        "lastrecv",
        "last_transaction",
        "last_block",
        "bytessent",
        "bytesrecv",
        "conntime",
        "timeoffset",
        "pingtime",
        "minping",
        "version",
        "subver",
        "inbound",
        "bip152_hb_to",
        "bip152_hb_from",
        "presynced_headers",
        "synced_headers",
        "synced_blocks",
        "inflight",
        "addr_relay_enabled",
        "addr_processed",
        "addr_rate_limited",
        "permissions",
        "minfeefilter",
        "bytessent_per_msg",
        "bytesrecv_per_msg",
        "connection_type",
        "transport_protocol_type",
        "session_id",
        "compact_blocks",
        "filters"
      ])
      const { addr, inbound, network, services, servicesnames, subver, timeoffset, version } = manual
      assert.deepStrictEqual({ addr, inbound, network, services, servicesnames, subver, timeoffset, version }, {
        addr: "20.1.1.1",
        inbound: false,
        network: "ipv4",
        services: "0000000000000009",
        servicesnames: ["NETWORK", "WITNESS"],
        subver: "/scripted/",
        timeoffset: 0,
        version: 70_016
      })
      assert.isAbove(manual["pingtime"] as number, 0)
      assert.isBelow(manual["pingtime"] as number, 1)
      const sum = (table: unknown) =>
        Object.values(table as Record<string, number>).reduce((all, bytes) => all + bytes, 0)
      assert.strictEqual(sum(manual["bytessent_per_msg"]), manual["bytessent"])
      assert.strictEqual(sum(manual["bytesrecv_per_msg"]), manual["bytesrecv"])
      assert.deepStrictEqual(peers.map(({ connection_type: type }) => type).toSorted(), ["inbound", "manual"])
      assert.isTrue(fits(METHODS.get("getpeerinfo")!.result.ast, yield* raw("getpeerinfo")))
      assert.strictEqual(yield* result("getconnectioncount"), 2)
      const info = (yield* result("getnetworkinfo")) as Fields
      assert.deepStrictEqual([info["relayfee"], info["incrementalfee"]], [0.00000777, 0.00000333])
      assert.deepStrictEqual([info["connections"], info["connections_in"], info["connections_out"]], [2, 1, 1])
      assert.isNull(yield* result("ping"))
      const before = other.open()[0]!.received.filter(({ command }) => command === "ping").length
      yield* pass(layer, 1_000)
      assert.strictEqual(other.open()[0]!.received.filter(({ command }) => command === "ping").length, before + 1)
      const totals = (yield* result("getnettotals")) as Fields
      assert.strictEqual(
        totals["totalbytessent"],
        peers.reduce((all, { bytessent }) => all + (bytessent as number), 0) + 64
      )
      assert.strictEqual(
        ((yield* call("getnettotals")).result as { uploadtarget: Fields }).uploadtarget["timeframe"],
        86_400
      )
    }))

  it.effect("addconnection makes one connection of a kind, while there is a slot for it", () =>
    Effect.gen(function*() {
      const { error, layer, result } = yield* place({ options: { isAutomatic: false } })
      yield* Effect.forEach(
        [1, 2, 3, 4],
        (i) => robot(layer, endpoint(`20.1.1.${i}:18444`), { services: SERVICES }),
        { discard: true }
      )
      // The answer waits for the connection, and that for the virtual clock.
      const made = Effect.fnUntraced(function*(address: string, kind: string) {
        const answer = yield* Effect.forkChild(result("addconnection", address, kind, false))
        for (let turns = 0; turns < 1_000 && answer.pollUnsafe() === undefined; turns++) {
          yield* pass(layer, 100)
          yield* Effect.promise(() => new Promise((resume) => setTimeout(resume, 1)))
        }
        return yield* Fiber.join(answer)
      })
      const kinds = ["block-relay-only", "outbound-full-relay", "block-relay-only"]
      for (const [i, kind] of kinds.entries()) {
        const address = `20.1.1.${i + 1}:18444`
        assert.deepStrictEqual(yield* made(address, kind), { address, connection_type: kind })
      }
      const peers = (yield* result("getpeerinfo")) as ReadonlyArray<Fields>
      assert.deepStrictEqual(peers.map(({ connection_type: kind }) => kind), kinds)
      assert.deepStrictEqual(yield* error("addconnection", "20.1.1.4", "block-relay-only", false), [
        -34,
        "Error: Already at capacity for specified connection type."
      ])
      yield* made("20.1.1.2:18444", "outbound-full-relay")
      assert.strictEqual(yield* result("getconnectioncount"), 3)
      // No node listens there, which the answer does not say.
      yield* made("20.1.1.9:18444", "addr-fetch")
      yield* pass(layer, 60_000, 500)
      assert.strictEqual(yield* result("getconnectioncount"), 3)
      assert.strictEqual((yield* error("addconnection", "20.1.1.4", "manual", false))[0], -8)
      assert.deepStrictEqual(yield* error("addconnection", "20.1.1.4", "feeler", true), [
        -8,
        "Error: Adding v2transport connections requires -v2transport init flag to be set."
      ])
    }))

  it.effect("addnode, getaddednodeinfo, disconnectnode", () =>
    Effect.gen(function*() {
      const { error, layer, result } = yield* place()
      yield* robot(layer, endpoint("20.1.1.1:18444"))
      assert.isNull(yield* result("addnode", "20.1.1.1", "add"))
      assert.deepStrictEqual(yield* error("addnode", "20.1.1.1", "add"), [-23, "Error: Node already added"])
      assert.deepStrictEqual(yield* error("addnode", "20.1.257", "add"), [-23, "Error: Node already added"])
      assert.deepStrictEqual(yield* error("addnode", "20.1.1.2", "remove"), [
        -24,
        "Error: Node could not be removed. It has not been added previously."
      ])
      assert.deepStrictEqual((yield* error("addnode", "20.1.1.2", "what"))[0], -1)
      assert.deepStrictEqual(yield* error("addnode", "20.1.1.2", "add", true), [
        -8,
        "Error: v2transport requested but not enabled (see -v2transport)"
      ])
      assert.deepStrictEqual(yield* result("getaddednodeinfo"), [{
        addednode: "20.1.1.1",
        connected: false,
        addresses: []
      }])
      assert.deepStrictEqual(yield* error("getaddednodeinfo", "20.1.1.2"), [-24, "Error: Node has not been added."])
      yield* pass(layer, 3_000)
      assert.deepStrictEqual(yield* result("getaddednodeinfo", "20.1.1.1"), [
        { addednode: "20.1.1.1", connected: true, addresses: [{ address: "20.1.1.1:18444", connected: "outbound" }] }
      ])
      const both = [-32_602, "Only one of address and nodeid should be provided."]
      const notConnected = [-29, "Node not found in connected nodes"]
      assert.deepStrictEqual(yield* error("disconnectnode", "20.1.1.1:18444", 0), both)
      assert.deepStrictEqual(yield* error("disconnectnode"), both)
      assert.deepStrictEqual(yield* error("disconnectnode", "20.1.1.1:1"), notConnected)
      assert.deepStrictEqual(yield* error("disconnectnode", "", 77), notConnected)
      assert.isNull(yield* result("disconnectnode", "20.1.1.1:18444"))
      yield* pass(layer, 200)
      yield* pass(layer, 5_000)
      const [peer] = (yield* result("getpeerinfo")) as ReadonlyArray<Fields>
      assert.isNull(yield* result("disconnectnode", "", peer!["id"]))
      yield* pass(layer, 200)
      yield* pass(layer, 60_000, 500)
      const [again] = (yield* result("getpeerinfo")) as ReadonlyArray<Fields>
      assert.strictEqual(again!["addr"], "20.1.1.1", "as it was written")
      assert.isNull(yield* result("disconnectnode", "20.1.1.1"))
      assert.isNull(yield* result("addnode", "20.1.1.1", "remove"))
      yield* pass(layer, 60_000, 500)
      assert.strictEqual(yield* result("getconnectioncount"), 0)
    }))

  it.effect("setban, listbanned, clearbanned", () =>
    Effect.gen(function*() {
      const { error, layer, result } = yield* place()
      const [banned] = [yield* caller(layer, endpoint("20.1.1.1:1"))]
      yield* pass(layer, 1_000)
      assert.strictEqual(banned.open().length, 1)
      assert.isNull(yield* result("setban", "20.1.1.0/24", "add", 100))
      yield* pass(layer, 300)
      assert.strictEqual(banned.open().length, 0)
      assert.deepStrictEqual(yield* error("setban", "20.1.1.0/24", "add"), [-23, "Error: IP/Subnet already banned"])
      assert.deepStrictEqual(yield* error("setban", "20.1.1.7", "add"), [-23, "Error: IP/Subnet already banned"])
      assert.deepStrictEqual(yield* error("setban", "20.1.1.7", "remove"), [
        -30,
        "Error: Unban failed. Requested address/subnet was not previously manually banned."
      ])
      assert.deepStrictEqual(yield* error("setban", "20.1.1.0/33", "add"), [-30, "Error: Invalid IP/Subnet"])
      assert.deepStrictEqual((yield* error("setban", "20.1.1.7", "what"))[0], -1)
      assert.isNull(yield* result("setban", "30.1.1.1", "add", NOW + 1_000, true))
      for (const unroutable of ["0.0.0.0", "255.255.255.255", "::", "2001:db8::1"]) {
        assert.deepStrictEqual(yield* error("setban", unroutable, "add"), [-30, "Error: Invalid IP/Subnet"], unroutable)
      }
      assert.isNull(yield* result("setban", "[2a01::1]", "add"))
      const list = (yield* result("listbanned")) as ReadonlyArray<Fields>
      assert.deepStrictEqual(list.map(({ address, ban_duration: duration }) => [address, duration]), [
        ["20.1.1.0/24", 100],
        ["30.1.1.1/32", 999],
        ["2a01::1/128", 86_400]
      ])
      assert.deepStrictEqual(list[0]!["time_remaining"], 100)
      yield* pass(layer, 101_000, 1_000)
      assert.strictEqual(((yield* result("listbanned")) as ReadonlyArray<Fields>).length, 2)
      assert.isNull(yield* result("clearbanned"))
      assert.deepStrictEqual(yield* result("listbanned"), [])
      assert.strictEqual(layer.events.filter(({ what }) => what === "PeerUnbanned").length, 3)
    }))

  it.effect(
    "the clock that setmocktime sets says when bans begin and end, and what peers are sent; waiting goes on",
    () =>
      Effect.gen(function*() {
        const chain = stillChain()
        const { layer, result } = yield* place({ target: 0, chain })
        chain.set({ mockTime: NOW + 1_000_000 })
        assert.isNull(yield* result("setban", "20.1.1.0/24", "add", 100))
        const [ban] = (yield* result("listbanned")) as ReadonlyArray<Fields>
        assert.deepStrictEqual([ban!["ban_created"], ban!["time_remaining"]], [NOW + 1_000_000, 100])
        const other = yield* caller(layer, endpoint("21.1.1.1:1"))
        yield* pass(layer, 200_000, 1_000)
        assert.strictEqual(((yield* result("listbanned")) as ReadonlyArray<Fields>).length, 1)
        const version = other.links[0]!.received.find((message) => message.command === "version")
        assert.strictEqual(version?.command === "version" ? version.time : undefined, BigInt(NOW + 1_000_000))
        const [{ pingtime, timeoffset }] = (yield* result("getpeerinfo")) as [Fields]
        assert.isNumber(pingtime)
        assert.isBelow(Number(timeoffset), -900_000)
        chain.set({ mockTime: NOW + 1_000_100 })
        yield* pass(layer, 1_000)
        assert.deepStrictEqual(yield* result("listbanned"), [])
        assert.strictEqual(layer.events.filter(({ what }) => what === "PeerUnbanned").length, 1)
      })
  )

  it.effect("addpeeraddress, getnodeaddresses, getaddrmaninfo", () =>
    Effect.gen(function*() {
      const { error, result } = yield* place()
      assert.deepStrictEqual(yield* result("getnodeaddresses"), [])
      assert.deepStrictEqual(yield* result("addpeeraddress", "11.1.1.1", 8_333), { success: true })
      assert.deepStrictEqual(yield* result("addpeeraddress", "11.1.1.1", 8_333), {
        success: false,
        error: "failed-adding-to-new"
      })
      assert.deepStrictEqual(yield* result("addpeeraddress", "2001:4860::1", 8_333, true), { success: true })
      assert.deepStrictEqual(yield* result("addpeeraddress", "127.0.0.1", 8_333), {
        success: false,
        error: "failed-adding-to-new"
      })
      assert.deepStrictEqual(yield* error("addpeeraddress", "no", 8_333), [-30, "Invalid IP address"])
      assert.deepStrictEqual(yield* error("addpeeraddress", "11.1.1.1", 65_536), [-1, "JSON integer out of range"])
      assert.deepStrictEqual(yield* result("getnodeaddresses", 0, "ipv6"), [
        { time: NOW, services: 9, address: "2001:4860::1", port: 8_333, network: "ipv6" }
      ])
      assert.strictEqual(((yield* result("getnodeaddresses", 0)) as ReadonlyArray<Fields>).length, 2)
      assert.strictEqual(((yield* result("getnodeaddresses")) as ReadonlyArray<Fields>).length, 1)
      assert.deepStrictEqual(yield* error("getnodeaddresses", -1), [-8, "Address count out of range"])
      assert.deepStrictEqual(yield* error("getnodeaddresses", 1, "moon"), [-8, "Network not recognized: moon"])
      const none = { new: 0, tried: 0, total: 0 }
      assert.deepStrictEqual(yield* result("getaddrmaninfo"), {
        ipv4: { new: 1, tried: 0, total: 1 },
        ipv6: { new: 0, tried: 1, total: 1 },
        onion: none,
        i2p: none,
        cjdns: none,
        all_networks: { new: 1, tried: 1, total: 2 }
      })
    }))

  it.effect("setnetworkactive ends all connections until it is asked again", () =>
    Effect.gen(function*() {
      const { layer, result } = yield* place()
      yield* caller(layer, endpoint("20.1.1.1:1"))
      yield* pass(layer, 1_000)
      assert.strictEqual(yield* result("setnetworkactive", false), false)
      yield* pass(layer, 300)
      assert.strictEqual(yield* result("getconnectioncount"), 0)
      assert.strictEqual(((yield* result("getnetworkinfo")) as Fields)["networkactive"], false)
      assert.strictEqual(yield* result("setnetworkactive", true), true)
    }))

  it.effect("getblockfrompeer", () =>
    Effect.gen(function*() {
      const chain = stillChain()
      const first = chain.extend(hollowBlock(chain.tree.tip))
      const { error, layer } = yield* place({ chain, target: 0 })
      const [at, unknown] = [Buffer.from(first.hash).reverse().toString("hex"), "ab".repeat(32)]
      assert.deepStrictEqual(yield* error("getblockfrompeer", unknown, 0), [-1, "Block header missing"])
      assert.deepStrictEqual(yield* error("getblockfrompeer", at, 0), [-1, "Block already downloaded"])
      assert.strictEqual(layer.service.peers.size, 0)
    }))

  it.effect("a node without a network layer says so", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const { error } = yield* Effect.promise(() => ask(address, "getpeerinfo", []))
      assert.deepStrictEqual(error, { code: -31, message: "Error: Peer-to-peer functionality missing or disabled" })
    }))
})
