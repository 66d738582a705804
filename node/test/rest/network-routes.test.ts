import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { problemOf, RestProblem } from "../../src/rest/rest-problem.ts"
import { FEE_ROUTES } from "../../src/rest/routes/fees.ts"
import { MEMPOOL_ROUTES } from "../../src/rest/routes/mempool.ts"
import { NETWORK_ROUTES } from "../../src/rest/routes/network.ts"
import { NODE_ROUTES } from "../../src/rest/routes/node.ts"
import { JsonNumber, type JsonRead } from "../../src/json/json-value.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { STATE } from "../rpc/fake-chain.ts"
import { hash, nodeWith, text } from "./mined-node.ts"

const ROUTES = [...NETWORK_ROUTES, ...NODE_ROUTES, ...FEE_ROUTES, ...MEMPOOL_ROUTES]

const routeOf = (name: string) => ROUTES.find(({ path, verb }) => `${verb} ${path}` === name)!

const answered = (
  name: string,
  inputs: Readonly<Record<string, JsonRead>> = {},
  over: Parameters<typeof nodeWith>[0] = {}
) =>
  Effect.map(
    routeOf(name).answer(new Map(Object.entries(inputs)), nodeWith(over), "json"),
    ({ data, page }) => ({ data: JSON.parse(writeJson(data)), page })
  )

/** The status and the message of a refusal. */
const refused = (...row: Parameters<typeof answered>) =>
  Effect.map(Effect.flip(answered(...row)), (error) => {
    const { message, status } = error instanceof RestProblem ? error : problemOf(error, routeOf(row[0]).statuses)
    return [status, message]
  })

const number = (value: number): JsonNumber => new JsonNumber(String(value))

/** A network layer that notes what is done with it. */
const network = () => {
  const done: Array<unknown> = []
  let active = true
  const peers = {
    time: () => 1_000_000,
    banSeconds: 60,
    keepBans: Effect.sync(() => void done.push("kept")),
    disconnectBanned: () => {},
    hasV2: true,
    peers: { values: () => [].values() },
    reputation: {
      bans: { has: () => false, isBanned: () => false },
      ban: ({ until }: { readonly until: number }) => {
        done.push(["ban", until])
        return true
      },
      unban: () => {
        done.push("unban")
        return done.length < 3
      },
      clear: () => void done.push("clear")
    },
    connections: {
      setActive: (state: boolean) => void (active = state),
      isActive: () => active,
      manual: {
        once: (name: string) => void done.push(["once", name]),
        add: (name: string) => void done.push(["add", name]),
        remove: (name: string) => {
          done.push(["remove", name])
          return name === "a:1"
        }
      }
    }
  }
  return { done, over: { parts: { peers: () => peers } } }
}

describe("the network over REST", () => {
  it.effect("keeps nodes, tries one once and disconnects it, by their addresses", () =>
    Effect.gen(function*() {
      const { done, over } = network()
      const added = yield* answered("POST /network/nodes", { address: "a:1", command: "add" }, over)
      assert.deepStrictEqual(added.data, { done: true })
      yield* answered("POST /network/nodes", { address: "b:2", command: "onetry" }, over)
      assert.deepStrictEqual((yield* answered("DELETE /network/nodes/{address}", { address: "a:1" }, over)).data, {
        done: true
      })
      assert.deepStrictEqual(done, [["add", "a:1"], ["once", "b:2"], ["remove", "a:1"]])
      assert.deepStrictEqual((yield* refused("DELETE /network/nodes/{address}", { address: "c:3" }, over))[0], 404)
    }))

  it.effect("bans a subnet, removes its ban, which has to be there, and removes all", () =>
    Effect.gen(function*() {
      const { done, over } = network()
      const subnet = "10.0.0.0/8"
      assert.deepStrictEqual((yield* answered("POST /network/bans", { subnet, bantime: number(5) }, over)).data, {
        done: true
      })
      assert.deepStrictEqual(done, [["ban", 1_005], "kept"])
      done.length = 0
      assert.deepStrictEqual((yield* answered("DELETE /network/bans/{subnet}", { subnet }, over)).data, { done: true })
      assert.deepStrictEqual(done, ["unban", "kept"])
      assert.deepStrictEqual((yield* refused("DELETE /network/bans/{subnet}", { subnet }, over))[0], 404)
      done.length = 0
      yield* answered("DELETE /network/bans", {}, over)
      assert.deepStrictEqual(done, ["clear", "kept"])
    }))

  it.effect("is switched off and on", () =>
    Effect.gen(function*() {
      const { over } = network()
      for (const state of [false, true]) {
        assert.deepStrictEqual((yield* answered("POST /network/active", { state }, over)).data, { active: state })
      }
    }))
})

describe("the node over REST", () => {
  it.effect("says how long it runs, what its methods do and how fast the network hashes", () =>
    Effect.gen(function*() {
      const uptime = yield* answered("GET /node/uptime", {}, { parts: { uptimeSeconds: () => 77 } })
      assert.deepStrictEqual(uptime.data, { seconds: 77 })
      const parts = { isStandIn: false, methods: new Map(), modules: () => undefined }
      const help = yield* answered("GET /node/help", { command: "nosuch" }, { parts })
      assert.deepStrictEqual(help.data, { text: "help: unknown command: nosuch" })
      const looked: Array<unknown> = []
      const answers = {
        networkWork: (input: unknown) => {
          looked.push(input)
          return { work: 600n, seconds: 6 }
        }
      }
      const rate = yield* answered("GET /mining/hashrate", { nblocks: number(5), height: number(3) }, { answers })
      assert.deepStrictEqual(rate.data, { hashes_per_second: 100 })
      assert.deepStrictEqual(looked, [{ blocks: 5, height: 3 }])
    }))

  it.effect("takes a block, and says in the words of BIP22 why it takes none", () =>
    Effect.gen(function*() {
      const looked: Array<unknown> = []
      const submit = (result: string | undefined) => ({
        answers: {
          submitBlock: (input: unknown) => {
            looked.push(input)
            return { result }
          }
        }
      })
      const path = "POST /mining/blocks"
      assert.deepStrictEqual((yield* answered(path, { hexdata: "00ff" }, submit(undefined))).data, { accepted: true })
      assert.deepStrictEqual(looked, [{ bytes: Uint8Array.of(0, 255) }])
      assert.deepStrictEqual(yield* refused(path, { hexdata: "00" }, submit("high-hash")), [
        422,
        "The block is not taken: high-hash"
      ])
      assert.strictEqual(routeOf(path).bytesInput, "hexdata")
    }))

  it.effect("asks for a template with the rule without which there is none", () =>
    Effect.gen(function*() {
      // What is judged next is whether the chain is complete.
      const chain = {
        state: () => ({ ...STATE, initialBlockDownload: true }),
        call: () => Effect.die("asked the chain")
      }
      const exit = yield* Effect.exit(
        answered("GET /mining/block-template", {}, { parts: { chain, peers: () => undefined, networkName: "main" } })
      )
      assert.notInclude(JSON.stringify(exit), "must be called with the segwit rule set")
    }))
})

describe("fees over REST", () => {
  it.effect("are estimated for six blocks where nothing is said, which documents show", () =>
    Effect.gen(function*() {
      const looked: Array<unknown> = []
      const answers = {
        highestFeeTarget: () => 1_008,
        estimateFee: (input: unknown) => {
          looked.push(input)
          return { feerate: undefined, target: 6 }
        }
      }
      const exit = yield* Effect.exit(answered("GET /fees/estimate", {}, { answers }))
      const given = yield* Effect.exit(
        answered("GET /fees/estimate", { blocks: number(9), mode: "conservative" }, { answers })
      )
      assert.deepStrictEqual([exit._tag, given._tag], ["Success", "Success"])
      assert.deepStrictEqual(looked, [
        { target: 6, isConservative: false },
        { target: 9, isConservative: true }
      ])
      const [blocks, mode] = FEE_ROUTES[0]!.inputs
      assert.deepStrictEqual([blocks!.name, blocks!.required, blocks!.standard], ["blocks", false, "6"])
      assert.notStrictEqual(mode!.standard, "6")
    }))
})

describe("the mempool over REST", () => {
  const answers = {
    mempoolIds: () => ({ txids: Uint8Array.from([1, 2, 3].flatMap((byte) => [...hash(byte)])), sequence: 1 })
  }
  const listed = (inputs: Readonly<Record<string, JsonRead>>) => answered("GET /mempool", inputs, { answers })

  it.effect("lists the ids of the part that is asked for, and how many there are", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* listed({}), {
        data: [text(1), text(2), text(3)],
        page: { offset: 0, limit: 25, total: 3 }
      })
      assert.deepStrictEqual(yield* listed({ offset: number(1), limit: number(1) }), {
        data: [text(2)],
        page: { offset: 1, limit: 1, total: 3 }
      })
      assert.deepStrictEqual((yield* listed({ offset: number(2), limit: number(5) })).data, [text(3)])
      for (const offset of [3, 4, 100]) assert.deepStrictEqual((yield* listed({ offset: number(offset) })).data, [])
    }))

  it.effect("has the priority of a transaction changed by what is added to its fee", () =>
    Effect.gen(function*() {
      const looked: Array<unknown> = []
      const prioritise = (input: unknown) => {
        looked.push(input)
        return true
      }
      const { data } = yield* answered("POST /mempool/transactions/{txid}/priority", {
        txid: text(7),
        fee_delta: number(-5)
      }, { answers: { prioritise } })
      assert.deepStrictEqual(data, { prioritised: true })
      assert.deepStrictEqual(looked, [{ txid: hash(7), delta: -5n }])
    }))
})
