import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { METHODS } from "../../src/methods/table.ts"
import { caller, pass } from "../p2p/connections/robot.ts"
import { testLayer } from "../p2p/connections/test-layer.ts"
import { endpoint } from "../p2p/transport/transport-suite.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A node with a network layer, asked over HTTP. */
const place = Effect.fnUntraced(function*() {
  const layer = yield* testLayer({ target: 0 })
  const { address } = yield* testServer({
    directory: yield* temporaryDirectory,
    chain: fakeChain({}),
    network: layer.service
  })
  const call = (method: string, params: ReadonlyArray<unknown> | object) =>
    Effect.promise(() => ask(address, method, params as ReadonlyArray<unknown>))
  const result = (method: string, params: ReadonlyArray<unknown> | object) =>
    Effect.map(call(method, params), (answer) => {
      assert.isUndefined(answer.error, JSON.stringify(answer.error))
      return answer.result
    })
  const error = (method: string, params: ReadonlyArray<unknown> | object) =>
    Effect.map(call(method, params), ({ error: found }) => [found?.code, found?.message.split("\n")[0]])
  return { layer, result, error }
})

const nulls = (count: number): ReadonlyArray<null> => Array.from({ length: count }, () => null)

describe("methods for tests", () => {
  it("are those that Bitcoin Core's help leaves out", () => {
    const names = [...METHODS.values()].filter(({ isHidden }) => isHidden === true).map(({ name }) => name)
    for (
      const name of [
        "addconnection",
        "addpeeraddress",
        "echo",
        "echoipc",
        "echojson",
        "estimaterawfee",
        "generateblock",
        "generatetoaddress",
        "generatetodescriptor",
        "getmempoolfeeratediagram",
        "getorphantxs",
        "getrawaddrman",
        "invalidateblock",
        "reconsiderblock",
        "sendmsgtopeer",
        "setmocktime",
        "syncwithvalidationinterfacequeue"
      ]
    ) assert.include(names, name)
  })

  it.effect("are not in the overview of help, and are explained by name", () =>
    Effect.gen(function*() {
      const { result } = yield* place()
      assert.notInclude(String(yield* result("help", [])), "getrawaddrman")
      assert.include(String(yield* result("help", ["getrawaddrman"])), "by bucket and place")
    }))

  it.effect("echo: parameters by position and by name, with nulls in the gaps", () =>
    Effect.gen(function*() {
      const { error, result } = yield* place()
      for (const name of ["echo", "echojson"]) {
        assert.deepStrictEqual(yield* result(name, []), [])
        assert.deepStrictEqual(yield* result(name, [null, "a", [1], { b: true }]), [null, "a", [1], { b: true }])
        assert.deepStrictEqual(yield* result(name, { arg0: 0, arg9: 9 }), [0, ...nulls(8), 9])
        assert.deepStrictEqual(yield* result(name, { arg9: null }), nulls(10))
        assert.deepStrictEqual(yield* result(name, { args: [0, 1], arg3: 3 }), [0, 1, null, 3])
        assert.deepStrictEqual(yield* error(name, { args: [0, 1], arg1: 1 }), [
          -8,
          "Parameter arg1 specified twice both as positional and named argument"
        ])
        assert.deepStrictEqual(yield* error(name, { arg9: "trigger_internal_bug" }), [
          -1,
          "Internal bug detected: request.params[9].get_str() != \"trigger_internal_bug\""
        ])
        assert.strictEqual((yield* error(name, nulls(11)))[0], -1)
      }
      assert.strictEqual(yield* result("echoipc", ["a"]), "a")
    }))

  it.effect("sendmsgtopeer: any bytes under any type, to a peer that is there", () =>
    Effect.gen(function*() {
      const { error, layer, result } = yield* place()
      yield* caller(layer, endpoint("21.1.1.1:1"))
      yield* pass(layer, 3_000)
      const { traffic } = layer.service.peers.get(0)!
      const before = traffic.sentPerCommand.get("addr") ?? 0
      assert.deepStrictEqual(yield* result("sendmsgtopeer", [0, "no such type", "ff00"]), {})
      assert.deepStrictEqual(yield* result("sendmsgtopeer", [0, "addr", ""]), {})
      assert.strictEqual(traffic.sentPerCommand.get("no such type"), 24 + 2)
      assert.strictEqual(traffic.sentPerCommand.get("addr"), before + 24)
      assert.deepStrictEqual(yield* error("sendmsgtopeer", [9, "addr", "ff"]), [
        -1,
        "Error: Could not send message to peer"
      ])
      assert.deepStrictEqual(yield* error("sendmsgtopeer", [0, "long_msg_type", "ff"]), [
        -8,
        "Error: msg_type too long, max length is 12"
      ])
      assert.deepStrictEqual(yield* error("sendmsgtopeer", [0, "addr", "f"]), [-8, "Error parsing input for msg"])
    }))

  it.effect("addpeeraddress takes an address of fc00::/8 for one of CJDNS where that can be reached alone", () =>
    Effect.gen(function*() {
      for (const isReachable of [false, true]) {
        const { layer, result } = yield* place()
        const reach = [
          { name: "ipv6", isReachable: !isReachable },
          { name: "cjdns", isReachable }
        ]
        Object.assign(layer.service, { reach: () => reach })
        assert.deepStrictEqual(
          yield* result("addpeeraddress", ["fc00::1", 8_333]),
          isReachable ? { success: true } : { success: false, error: "failed-adding-to-new" }
        )
      }
    }))

  it.effect("addpeeraddress takes ports from 0 to 65535", () =>
    Effect.gen(function*() {
      const { error, result } = yield* place()
      for (const port of [-1, 65_536]) {
        assert.strictEqual((yield* error("addpeeraddress", ["1.2.3.4", port]))[0], -1, String(port))
      }
      assert.deepStrictEqual(yield* result("addpeeraddress", ["1.2.3.4", 65_535]), { success: true })
    }))

  it.effect("getrawaddrman: every address in its slot, with where it came from", () =>
    Effect.gen(function*() {
      const { layer, result } = yield* place()
      for (const [address, tried] of [["1.2.3.4", true], ["2.0.0.0", false], ["2803:0:1234:abcd::1", false]] as const) {
        assert.deepStrictEqual(yield* result("addpeeraddress", [address, 8_333, tried]), { success: true })
      }
      const tables = (yield* result("getrawaddrman", [])) as { readonly new: Entries; readonly tried: Entries }
      assert.deepStrictEqual(Object.values(tables.new).map(({ address }) => address).sort(), [
        "2.0.0.0",
        "2803:0:1234:abcd::1"
      ])
      const [[slot, entry]] = Object.entries(tables.tried) as unknown as readonly [readonly [string, object]]
      assert.match(slot, /^\d{1,3}\/\d{1,2}$/)
      assert.deepInclude(entry, {
        address: "1.2.3.4",
        port: 8_333,
        services: 9,
        network: "ipv4",
        source: "1.2.3.4",
        source_network: "ipv4"
      })
      assert.strictEqual(layer.service.book.size(), 3)
    }))
})
