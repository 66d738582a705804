import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { methodNode } from "../method-node.ts"

/** A node whose network layer has these members. */
const withNetwork = (network: object) => methodNode({ more: { peers: () => network } })

describe("nodes that are kept connected", () => {
  it.effect("are added and removed, or tried once, with or without encryption", () =>
    Effect.gen(function*() {
      const done: Array<unknown> = []
      let objection: string | undefined
      let isThere = true
      const manual = {
        add: (...given: ReadonlyArray<unknown>) => {
          done.push(["add", ...given])
          return objection
        },
        remove: (name: string) => {
          done.push(["remove", name])
          return isThere
        },
        once: (...given: ReadonlyArray<unknown>) => void done.push(["once", ...given])
      }
      const { text } = withNetwork({ connections: { manual }, hasV2: false })
      for (const [command, ...more] of [["add"], ["add", false], ["remove"], ["onetry"]]) {
        assert.strictEqual(yield* text("addnode", "a", command, ...more), "null")
      }
      assert.deepStrictEqual(done, [["add", "a", undefined], ["add", "a", false], ["remove", "a"], [
        "once",
        "a",
        undefined
      ]])
      objection = "full"
      assert.match(yield* text("addnode", "a", "add"), /^-1 Error: The list of added nodes is full/)
      objection = "added"
      assert.strictEqual(yield* text("addnode", "a", "add"), "-23 Error: Node already added")
      isThere = false
      assert.match(yield* text("addnode", "a", "remove"), /^-24 Error: Node could not be removed\./)
      assert.match(yield* text("addnode", "a", "x"), /^-1 addnode "node" "command"/)
      assert.match(yield* text("addnode", "a", "add", true), /^-8 Error: v2transport requested but not enabled/)
      const encrypted = withNetwork({ connections: { manual }, hasV2: true })
      objection = undefined
      assert.strictEqual(yield* encrypted.text("addnode", "a", "add", true), "null")
      assert.deepStrictEqual(done.at(-1), ["add", "a", true])
    }))

  it.effect("are shown with their connections", () =>
    Effect.gen(function*() {
      const list = () => [
        { text: "a", peer: { name: "10.0.0.1:1", inbound: true }, failure: undefined },
        { text: "b", peer: { name: "10.0.0.2:1", inbound: false }, failure: undefined },
        { text: "c", peer: undefined, failure: "no such host" }
      ]
      const { show, text } = withNetwork({ connections: { manual: { list } } })
      const all = [
        { addednode: "a", connected: true, addresses: [{ address: "10.0.0.1:1", connected: "inbound" }] },
        { addednode: "b", connected: true, addresses: [{ address: "10.0.0.2:1", connected: "outbound" }] },
        { addednode: "c", connected: false, addresses: [], error: "no such host" }
      ]
      assert.deepStrictEqual(yield* show("getaddednodeinfo"), all)
      assert.deepStrictEqual(yield* show("getaddednodeinfo", "b"), [all[1]])
      assert.strictEqual(yield* text("getaddednodeinfo", "d"), "-24 Error: Node has not been added.")
    }))

  it.effect("are connected to as the node itself connects, on regtest", () =>
    Effect.gen(function*() {
      const asked: Array<unknown> = []
      let isMade = true
      const connections = {
        connectAs: (...given: ReadonlyArray<unknown>) =>
          Effect.sync(() => {
            asked.push(given)
            return isMade
          })
      }
      const { show, text } = withNetwork({ connections, hasV2: false })
      const made = { address: "a:1", connection_type: "feeler" }
      assert.deepStrictEqual(yield* show("addconnection", "a:1", " feeler ", false), made)
      assert.deepStrictEqual(asked, [["a:1", "feeler", false]])
      isMade = false
      assert.match(yield* text("addconnection", "a:1", "feeler", false), /^-34 Error: Already at capacity/)
      assert.match(yield* text("addconnection", "a:1", "feeler", true), /^-8 Error: Adding v2transport connections/)
      assert.match(yield* text("addconnection", "a:1", "manual", false), /^-8 addconnection "address"/)
      const other = methodNode({ network: "mainnet", more: { peers: () => ({ connections, hasV2: true }) } })
      assert.match(
        yield* other.text("addconnection", "a:1", "feeler", false),
        /^-1 addconnection is for regression testing/
      )
      isMade = true
      assert.deepStrictEqual(
        yield* withNetwork({ connections, hasV2: true }).show("addconnection", "a:1", "feeler", true),
        made
      )
    }))
})

describe("disconnectnode", () => {
  const NONE = "-29 Node not found in connected nodes"

  it.effect("ends the connections of an address or of a number, which one of both names", () =>
    Effect.gen(function*() {
      const ended: Array<number> = []
      const peer = (id: number, name: string, more: object = {}) =>
        [id, { id, name, isGone: false, writtenAs: undefined, disconnect: () => void ended.push(id), ...more }] as const
      const peers = new Map([
        peer(0, "10.0.0.1:8333"),
        peer(1, "10.0.0.1:8333"),
        peer(2, "10.0.0.1:8333", { isGone: true }),
        peer(3, "10.0.0.3:1", { writtenAs: "a.example:1" }),
        peer(4, "10.0.0.4:0")
      ])
      const { text } = withNetwork({ peers })
      const both = "-32602 Only one of address and nodeid should be provided."
      const cases: ReadonlyArray<
        readonly [params: ReadonlyArray<unknown>, answer: string, ended: ReadonlyArray<number>]
      > = [
        [["10.0.0.1:8333"], "null", [0, 1]],
        [["a.example:1"], "null", [3]],
        [["10.0.0.4"], "null", [4]],
        [["", 0], "null", [0]],
        [[null, 3], "null", [3]],
        [["", 2], NONE, []],
        [["", 9], NONE, []],
        [["10.0.0.9:1"], NONE, []],
        [[""], NONE, []],
        [["10.0.0.1:8333", 0], both, []],
        [[], both, []]
      ]
      for (const [params, answer, expected] of cases) {
        ended.length = 0
        assert.strictEqual(yield* text("disconnectnode", ...params), answer, JSON.stringify(params))
        assert.deepStrictEqual(ended, expected, JSON.stringify(params))
      }
    }))
})

describe("clocks of tests", () => {
  it.effect("are moved on regtest alone, periodic tasks by up to an hour", () =>
    Effect.gen(function*() {
      const moved: Array<number> = []
      const scheduler = { moveForward: (milliseconds: number) => void moved.push(milliseconds) }
      const answers = { moveScheduler: () => undefined, setMockTime: () => undefined }
      const peers = () => ({ environment: { scheduler } })
      const { calls, text } = methodNode({ answers, more: { peers } })
      for (const seconds of [1, 3_600]) assert.strictEqual(yield* text("mockscheduler", seconds), "null")
      for (const seconds of [0, 3_601, -1]) {
        assert.strictEqual(
          yield* text("mockscheduler", seconds),
          "-1 delta_time must be between 1 and 3600 seconds (1 hr)"
        )
      }
      for (const time of [0, 4_294_967_295]) assert.strictEqual(yield* text("setmocktime", time), "null")
      for (const time of [-1, 4_294_967_296]) {
        assert.strictEqual(
          yield* text("setmocktime", time),
          `-8 Mocktime must be in the range [0, 4294967295], not ${time}.`
        )
      }
      assert.deepStrictEqual(moved, [1_000, 3_600_000])
      assert.deepStrictEqual(calls, [
        ["moveScheduler", { milliseconds: 1_000 }],
        ["moveScheduler", { milliseconds: 3_600_000 }],
        ["setMockTime", { time: 0 }],
        ["setMockTime", { time: 4_294_967_295 }]
      ])
      assert.strictEqual(yield* methodNode({ answers }).text("mockscheduler", 1), "null")
      for (const method of ["mockscheduler", "setmocktime"]) {
        assert.match(
          yield* methodNode({ network: "mainnet", answers }).text(method, 1),
          new RegExp(`^-1 ${method} is for regression testing`)
        )
      }
    }))
})
