import { MODULE_EVENT_TYPES, REQUEST_TYPES } from "@lockstep/protocol/module-ipc/index.ts"
import { decodeTransaction, transactionOf } from "@lockstep/kernel/model"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { type NodeWithModules, nodeWithModules } from "../shipped/node-with-modules.ts"
import { MODULE_SOURCE } from "./module-program.ts"

const NAME = "follower"

/** Keeps what the mempool has and its cursor in a file, and writes down what it is sent. */
const PROGRAM = `${MODULE_SOURCE}
const fs = require("node:fs")
const [STATE, SEEN] = ["/state.json", "/seen"].map((name) => process.env.DATA_DIR + name)
const state = fs.existsSync(STATE) ? JSON.parse(fs.readFileSync(STATE, "utf8")) : { cursor: "", known: [] }
let known = new Set(state.known)
const shown = (hash) => Buffer.from(hash).reverse().toString("hex")
const keep = (cursor, line) => {
  fs.writeFileSync(STATE + ".tmp", JSON.stringify({ cursor: cursor.toString("hex"), known: [...known] }))
  fs.renameSync(STATE + ".tmp", STATE)
  fs.appendFileSync(SEEN, line + "\\n")
}
const event = (type, body) => {
  const cursor = body.subarray(0, 16)
  if (type === ${MODULE_EVENT_TYPES.indexOf("MempoolSnapshot")}) {
    known = new Set()
    for (let at = 24; at < body.length; at += 32) known.add(shown(body.subarray(at, at + 32)))
    keep(cursor, "snapshot " + known.size)
  }
  if (type === ${MODULE_EVENT_TYPES.indexOf("MempoolStep")}) {
    const id = shown(body.subarray(16, 48))
    const hasLeft = body[56] === 1
    if (hasLeft) known.delete(id)
    else known.add(id)
    keep(cursor, (hasLeft ? body.toString("utf8", 65) + " " : "added ") + id)
  }
}
let waiting = Buffer.alloc(0)
onData = (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32LE(0)) {
    const message = waiting.subarray(4, 4 + waiting.readUInt32LE(0))
    waiting = waiting.subarray(4 + message.length)
    if (message.readUInt32LE(0) === 2) event(message.readUInt32LE(4), message.subarray(12))
  }
}
handshake()
request(${
  REQUEST_TYPES.indexOf("FollowMempool")
}, Buffer.from([state.cursor === "" ? 0 : 1]), Buffer.from(state.cursor, "hex"))
`

const MANIFEST = `name = "${NAME}"
version = "0.1.0"
description = ""
entry_point = "run"
capabilities = ["read_mempool"]
`

const FEE = 10_000n

describe("a module that follows the mempool behind its cursor", () => {
  let running: NodeWithModules
  let height = 0

  beforeAll(async () => {
    running = await nodeWithModules({})
    await running.call("generatetoaddress", 110, OPEN_ADDRESS)
    const directory = join(running.modulesDirectory, NAME)
    mkdirSync(directory, { recursive: true })
    writeFileSync(join(directory, "run"), PROGRAM, { mode: 0o755 })
    writeFileSync(join(directory, "module.toml"), MANIFEST)
    await running.call("loadmodule", NAME)
  })
  afterAll(() => running.stop())

  const fileOf = (name: string): string => {
    try {
      return readFileSync(join(running.directoryOf(NAME), name), "utf8")
    } catch {
      return ""
    }
  }
  const seen = (): ReadonlyArray<string> => fileOf("seen").split("\n").slice(0, -1)
  const known = (): ReadonlyArray<string> =>
    (JSON.parse(fileOf("state.json")) as { readonly known: ReadonlyArray<string> }).known

  /** Spends the next coinbase; answers the txid. */
  const send = async (): Promise<string> => {
    const hash = await running.call("getblockhash", ++height)
    const { tx: [coinbase] } = await running.call("getblock", hash, 2) as {
      readonly tx: ReadonlyArray<{ readonly txid: string; readonly hex: string }>
    }
    const decoded = decodeTransaction(Buffer.from(coinbase!.hex, "hex"))
    if (decoded._tag === "Failure") throw new Error("a coinbase of the node is no transaction")
    const { script, value } = decoded.success.outputs[0]!
    const tx = transactionOf({
      version: 2,
      inputs: [{
        prevout: { txid: new Uint8Array(Buffer.from(coinbase!.txid, "hex").reverse()), vout: 0 },
        script: new Uint8Array(0),
        sequence: 0xffffffff,
        witness: [Uint8Array.of(0x51)]
      }],
      outputs: [{ value: value - FEE, script }],
      lockTime: 0
    })
    return await running.call("sendrawtransaction", Buffer.from(tx.bytes).toString("hex")) as string
  }

  it("receives every change once, also those that happened while it was not there", async () => {
    await running.until(() => seen().length === 1)
    const first = await send()
    await running.until(() => seen().length === 2)
    await running.call("unloadmodule", NAME)
    const second = await send()
    await running.call("generatetoaddress", 1, OPEN_ADDRESS)
    const third = await send()
    await running.call("loadmodule", NAME)
    await running.until(() => seen().length === 6)
    const removals = seen().slice(3, 5)
    assert.deepStrictEqual(seen().toSpliced(3, 2), [
      "snapshot 0",
      `added ${first}`,
      `added ${second}`,
      `added ${third}`
    ])
    assert.sameMembers([...removals], [`block ${first}`, `block ${second}`])
    assert.deepStrictEqual(known(), [third])
  })

  it("has what the mempool has after the node was killed, and goes on", async () => {
    const before = seen().length
    await running.killAndStart()
    await running.until(() => seen().length > before)
    const there = await running.call("getrawmempool") as ReadonlyArray<string>
    assert.match(seen()[before]!, /^snapshot /)
    await running.until(() => known().toSorted().join() === there.toSorted().join())
    const next = await send()
    await running.until(() => seen().at(-1) === `added ${next}`)
    assert.sameMembers([...known()], [...there, next])
  })
})
