import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { connect } from "node:net"
import type { Levels } from "../../src/log/log-record.ts"
import type { JsonRead } from "../../src/json/json-value.ts"
import { METHODS } from "../../src/methods/table.ts"
import { type CallError, invalidParameter } from "../../src/queries/call-error.ts"
import { bearer } from "./http-exchange.ts"
import { regtestServer } from "./regtest-server.ts"

const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const UNKNOWN = "ab".repeat(32)

const regtest = Effect.gen(function*() {
  const { address, call, shutdown } = yield* regtestServer()
  const mine = (blocks: number): Effect.Effect<ReadonlyArray<string>> =>
    Effect.map(call("generatetoaddress", blocks, ADDRESS), ({ result }) => result as ReadonlyArray<string>)
  return { address, call, mine, shutdown }
})

type Fields = Readonly<Record<string, unknown>>

describe("methods that wait", () => {
  it.live("answer when the chain is as wanted, or the time is up", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      const [first] = yield* mine(1)
      assert.deepStrictEqual((yield* call("waitforblockheight", 1)).result, { hash: first, height: 1 })
      assert.deepStrictEqual((yield* call("waitforblock", first)).result, { hash: first, height: 1 })
      assert.deepStrictEqual((yield* call("waitforblock", UNKNOWN, 20)).result, { hash: first, height: 1 })
      assert.deepStrictEqual((yield* call("waitfornewblock", 20)).result, { hash: first, height: 1 })
      assert.deepStrictEqual((yield* call("waitfornewblock", 0, UNKNOWN)).result, { hash: first, height: 1 })
      assert.deepStrictEqual((yield* call("waitforblockheight", 5, -1)).error, {
        code: -1,
        message: "Negative timeout"
      })

      const waiting = yield* Effect.forkChild(call("waitfornewblock"), { startImmediately: true })
      const higher = yield* Effect.forkChild(call("waitforblockheight", 3), { startImmediately: true })
      yield* Effect.sleep(50)
      const [second] = yield* mine(1)
      assert.deepStrictEqual((yield* Fiber.join(waiting)).result, { hash: second, height: 2 })
      const [third] = yield* mine(1)
      assert.deepStrictEqual((yield* Fiber.join(higher)).result, { hash: third, height: 3 })
    }))

  it.live("answer when the node stops", () =>
    Effect.gen(function*() {
      const { call, mine, shutdown } = yield* regtest
      const [hash] = yield* mine(1)
      const waiting = yield* Effect.forkChild(call("waitfornewblock"), { startImmediately: true })
      const polling = yield* Effect.forkChild(
        call("getblocktemplate", { rules: ["segwit"], longpollid: `${hash}0` }),
        { startImmediately: true }
      )
      yield* Effect.sleep(50)
      yield* shutdown.request("rpc")
      assert.deepStrictEqual((yield* Fiber.join(waiting)).result, { hash, height: 1 })
      const template = (yield* Fiber.join(polling)).result as Fields
      assert.strictEqual(template["previousblockhash"], hash, "Bitcoin Core was recorded to answer with one, too")
    }))
})

describe("a client that goes", () => {
  it.live("ends its waiting, but not what it asked for", () =>
    Effect.gen(function*() {
      const { address, call } = yield* regtest
      const send = (method: string, params: ReadonlyArray<unknown>) =>
        Effect.promise(async () => {
          const body = JSON.stringify({ id: 1, method, params })
          const socket = connect(address.port, address.host)
          const head = `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: ${
            bearer("admin-token")
          }\r\nContent-Length: ${body.length}`
          socket.write(`${head}\r\n\r\n${body}`)
          await new Promise((resolve) => setTimeout(resolve, 100))
          socket.destroy()
          await new Promise((resolve) => setTimeout(resolve, 100))
        })
      const active = Effect.map(call("getrpcinfo"), ({ result }) =>
        (result as { readonly active_commands: ReadonlyArray<Fields> }).active_commands.map(({ method }) =>
          method
        ))
      yield* send("waitfornewblock", [])
      assert.deepStrictEqual(yield* active, ["getrpcinfo"])
      yield* send("generatetoaddress", [200, ADDRESS])
      assert.strictEqual((yield* call("waitforblockheight", 200, 10_000)).result !== undefined, true)
      assert.strictEqual((yield* call("getblockcount")).result, 200)
    }))
})

describe("mining", () => {
  it.live("makes templates of what the next block must be", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      assert.notProperty((yield* call("getmininginfo")).result, "currentblocktx")
      const [tip] = yield* mine(1)
      assert.propertyVal((yield* call("getmininginfo")).result, "currentblocktx", 0)
      const template = (yield* call("getblocktemplate", { rules: ["segwit"] })).result as Fields
      assert.strictEqual(template["previousblockhash"], tip)
      assert.deepStrictEqual([template["height"], template["coinbasevalue"]], [2, 5_000_000_000])
      assert.strictEqual(template["version"], 0x20000000)
      const made = (yield* call("generateblock", ADDRESS, [], false)).result as { readonly hex: string }
      assert.include(made.hex, String(template["default_witness_commitment"]))
      assert.strictEqual(
        made.hex.slice(144, 152),
        Buffer.from(String(template["bits"]), "hex").reverse().toString("hex")
      )

      const info = (yield* call("getmininginfo")).result as Fields
      assert.deepStrictEqual([info["currentblockweight"], info["currentblocktx"], info["chain"]], [8_000, 0, "regtest"])
      assert.deepStrictEqual((info["next"] as Fields)["bits"], template["bits"])
    }))

  it.live("waits with a template until there is another tip", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      const template = (yield* call("getblocktemplate", { rules: ["segwit"] })).result as Fields
      const polling = yield* Effect.forkChild(
        call("getblocktemplate", { rules: ["segwit"], longpollid: template["longpollid"] }),
        { startImmediately: true }
      )
      yield* Effect.sleep(50)
      const [hash] = yield* mine(1)
      assert.strictEqual(((yield* Fiber.join(polling)).result as Fields)["previousblockhash"], hash)
      const other = yield* call("getblocktemplate", { rules: ["segwit"], longpollid: `${UNKNOWN}7` })
      assert.strictEqual((other.result as Fields)["previousblockhash"], hash)
    }))

  it.live("estimates the rate of hashes", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      assert.strictEqual((yield* call("getnetworkhashps")).result, 0)
      yield* call("setmocktime", 1_900_000_000)
      yield* mine(1)
      yield* call("setmocktime", 1_900_000_100)
      yield* mine(1)
      assert.strictEqual((yield* call("getnetworkhashps", 1)).result, 0.02)
      assert.strictEqual((yield* call("getnetworkhashps", 1, 2)).result, 0.02)
      assert.strictEqual((yield* call("getnetworkhashps", 0)).error?.code, -8)
      assert.strictEqual((yield* call("getnetworkhashps", 1, 3)).error?.code, -8)
      assert.strictEqual((yield* call("getnetworkhashps", 1, -2)).error?.code, -8)
    }))
})

describe("the chain", () => {
  it.live("proves its transactions without an index while their outputs are unspent", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      const hashes = yield* mine(3)
      const [txid] = ((yield* call("getblock", hashes[1])).result as { readonly tx: ReadonlyArray<string> }).tx
      const proof = (yield* call("gettxoutproof", [txid])).result as string
      assert.strictEqual((yield* call("gettxoutproof", [txid], hashes[1])).result, proof)
      assert.deepStrictEqual((yield* call("verifytxoutproof", proof)).result, [txid])
      assert.deepStrictEqual((yield* call("gettxoutproof", [UNKNOWN])).error, {
        code: -5,
        message: "Transaction not yet in block"
      })
      const cut = yield* call("verifytxoutproof", proof.slice(0, -2))
      assert.deepStrictEqual(cut.error, { code: -1, message: "DataStream::read(): end of data: iostream error" })
      yield* call("invalidateblock", hashes[1])
      assert.deepStrictEqual((yield* call("verifytxoutproof", proof)).error, {
        code: -5,
        message: "Block not found in chain"
      })
      const stats = yield* call("getchaintxstats", 0, hashes[1])
      assert.deepStrictEqual(stats.error, { code: -8, message: "Block is not in main chain" })
    }))

  it.live("counts its transactions", () =>
    Effect.gen(function*() {
      const { call, mine } = yield* regtest
      const hashes = yield* mine(20)
      const all = (yield* call("getchaintxstats")).result as Fields
      assert.deepStrictEqual([all["txcount"], all["window_block_count"], all["window_tx_count"]], [21, 19, 19])
      const some = (yield* call("getchaintxstats", 5, hashes[9])).result as Fields
      assert.deepStrictEqual([some["txcount"], some["window_final_block_height"], some["window_tx_count"]], [11, 10, 5])
      assert.deepStrictEqual((yield* call("getchaintxstats", 10, hashes[9])).error?.code, -8)
      const genesis = (yield* call("getblockstats", 0)).result as Fields
      assert.deepStrictEqual([genesis["utxo_increase"], genesis["utxo_increase_actual"]], [1, 0])
      assert.deepStrictEqual((yield* call("getblockstats", -1)).error, {
        code: -8,
        message: "Target block height -1 is negative"
      })
      const twice = (yield* call("getblockstats", 3, ["txs", "outs", "txs"])).result
      assert.deepStrictEqual(twice, { outs: 2, txs: 1 })
    }))

  it.live("scans no blocks without an index", () =>
    Effect.gen(function*() {
      const { call } = yield* regtest
      const message = "Index is not enabled for filtertype basic"
      assert.deepStrictEqual((yield* call("scanblocks", "start", ["raw(51)"])).error, { code: -1, message })
      assert.deepStrictEqual((yield* call("scanblocks", "start", [], 0, 1, "x")).error, {
        code: -5,
        message: "Unknown filtertype"
      })
      assert.deepStrictEqual((yield* call("scanblocks", "abort")).result, false)
      assert.deepStrictEqual((yield* call("scanblocks", "go")).error, { code: -8, message: "Invalid action 'go'" })
    }))
})

describe("control", () => {
  it.live("lists calls under way, and memory", () =>
    Effect.gen(function*() {
      const { call } = yield* regtest
      const waiting = yield* Effect.forkChild(call("waitfornewblock", 300), { startImmediately: true })
      yield* Effect.sleep(50)
      const { active_commands: active } = (yield* call("getrpcinfo")).result as {
        readonly active_commands: ReadonlyArray<Fields>
      }
      assert.deepStrictEqual(active.map(({ method }) => method), ["waitfornewblock", "getrpcinfo"])
      assert.isAbove(Number(active[0]!["duration"]), 10_000)
      yield* Fiber.join(waiting)
      const after = (yield* call("getrpcinfo")).result as { readonly active_commands: ReadonlyArray<Fields> }
      assert.lengthOf(after.active_commands, 1)
      assert.deepStrictEqual((yield* call("getmemoryinfo", "x")).error, { code: -8, message: "unknown mode x" })
      assert.property((yield* call("getmemoryinfo")).result, "locked")
    }))

  it.effect("turns those of Bitcoin Core alone on and off where the node stands in for it, each by itself", () =>
    Effect.gen(function*() {
      let on: ReadonlySet<string> = new Set(["addrman"])
      const switches = {
        names: ["addrman", "net", "rpc"],
        on: () => on,
        set: (wanted: ReadonlySet<string>) => Effect.sync(() => void (on = wanted))
      }
      const run = METHODS.get("logging")!.call as unknown as (
        args: { readonly include?: JsonRead; readonly exclude?: JsonRead },
        node: unknown
      ) => Effect.Effect<Readonly<Record<string, boolean>>, CallError>
      const logging = (include: ReadonlyArray<string>, exclude: ReadonlyArray<string>) =>
        run({ include, exclude }, { log: { switches } })
      assert.deepStrictEqual(yield* logging([], []), { addrman: true, net: false, rpc: false })
      assert.deepStrictEqual(yield* logging(["all"], ["net"]), { addrman: true, net: false, rpc: true })
      assert.deepStrictEqual([...on], ["addrman", "rpc"])
      assert.deepStrictEqual(yield* logging([], ["1"]), { addrman: false, net: false, rpc: false })
      assert.strictEqual((yield* Effect.flip(logging(["chain"], []))).message, "unknown logging category chain")
    }))

  it.effect("turns categories of the log on and off", () =>
    Effect.gen(function*() {
      let levels: Levels = { level: "info", categories: { storage: "trace" } }
      const log = {
        levels: () => levels,
        setLevels: (wanted: Levels) => Effect.sync(() => void (levels = wanted)),
        file: undefined
      }
      const run = METHODS.get("logging")!.call as unknown as (
        args: { readonly include?: JsonRead; readonly exclude?: JsonRead },
        node: unknown
      ) => Effect.Effect<Readonly<Record<string, boolean>>, CallError>
      const logging = (include: ReadonlyArray<string>, exclude: ReadonlyArray<string>) =>
        run({ include, exclude }, { log })
      const on = (state: Readonly<Record<string, boolean>>) => Object.keys(state).filter((name) => state[name])
      assert.deepStrictEqual(on(yield* logging([], [])), ["storage"])
      assert.deepStrictEqual(on(yield* logging(["rpc", "log"], ["storage"])), ["http", "log", "rpc", "scan"])
      assert.strictEqual(levels.categories["storage"], "info")
      const all = Object.keys(yield* logging([], []))
      for (
        const name of ["chain", "config", "events", "health", "log", "net", "node", "rpc", "qt", "validation"]
      ) assert.include(all, name)
      assert.lengthOf(
        all,
        8 + 29 + 1 - 2,
        "ours, those of Bitcoin Core, and one of the configuration; net and rpc are both"
      )
      const named = [/^The valid logging categories are: (.+)$/m, / of its own, also: (.+)$/m].flatMap((pattern) =>
        pattern.exec(METHODS.get("logging")!.description)![1]!.split(", ")
      )
      assert.deepStrictEqual(named.toSorted(), all.filter((name) => name !== "storage"))
      const rest = all.filter((name) => !["http", "rpc", "scan"].includes(name))
      assert.deepStrictEqual(on(yield* logging(["all"], ["rpc"])), rest)
      assert.deepStrictEqual(on(yield* logging([], ["1"])), [])
      // A name of Bitcoin Core's turns on what it stands for, and off again when no other name needs it.
      const chainIs = () => levels.categories["chain"]
      assert.deepStrictEqual(on(yield* logging(["validation"], [])), ["chain", "validation"])
      assert.strictEqual(chainIs(), "debug")
      assert.deepStrictEqual(on(yield* logging(["prune"], [])), ["chain", "prune", "validation"])
      assert.deepStrictEqual(on(yield* logging([], ["validation"])), ["chain", "prune"])
      assert.strictEqual(chainIs(), "debug")
      assert.deepStrictEqual(on(yield* logging([], ["prune"])), [])
      assert.strictEqual(chainIs(), "info")
      assert.deepStrictEqual(
        on(yield* logging(["all"], ["leveldb", "rand"])),
        all.filter((name) => name !== "leveldb" && name !== "rand")
      )
      assert.strictEqual(chainIs(), "debug")
      assert.notInclude(on(yield* logging([], ["chain"])), "validation")
      assert.include(on(yield* logging(["chain"], [])), "leveldb")
      assert.deepStrictEqual(on(yield* logging([], ["all"])), [])
      assert.deepStrictEqual(on(yield* logging(["qt"], [])), ["qt"])
      const unknown = yield* Effect.flip(logging(["rpc", "net?"], []))
      assert.deepStrictEqual(unknown, invalidParameter("unknown logging category net?"))
    }))
})
