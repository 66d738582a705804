import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../process/node-process.ts"
import { patience } from "../process/patience.ts"
import { areInstalled } from "./install.ts"
import { PASSWORD, servedNode, type ServedNode, USER } from "./served-chain.ts"

const PROGRAM = fileURLToPath(new URL("programs/listeners.cjs", import.meta.url))

/** A key that everybody knows. */
const KEY = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW"

/** What the program writes; of `peer`, `zmq` and `rest` what each of the three found. */
interface Found {
  readonly peer: Readonly<Record<string, unknown>>
  readonly zmq: Readonly<Record<string, unknown>>
  readonly rest: Readonly<Record<string, unknown>>
  readonly first: string
  readonly waiting: ReadonlyArray<string>
  readonly hashes: readonly [first: string, tenth: string]
  readonly tip: string
}

describe.runIf(areInstalled)("a peer, a subscriber of ZMQ and a client of REST that others wrote", () => {
  let served: ServedNode
  let found: Found
  beforeAll(async () => {
    const [p2pPort, zmqPort] = [await freePort(), await freePort()]
    served = await servedNode("password", [
      "rest=1",
      `bind=127.0.0.1:${p2pPort}`,
      "dnsseed=0",
      "fixedseeds=0",
      "whitelist=noban,relay@127.0.0.1",
      ...["rawblock", "rawtx", "hashblock", "hashtx", "sequence"].map((topic) =>
        `zmqpub${topic}=tcp://127.0.0.1:${zmqPort}`
      )
    ])
    const given = { key: KEY, p2pPort, password: PASSWORD, rpcPort: served.port, username: USER, zmqPort }
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(given)], {
      timeout: patience(120_000)
    })
    found = JSON.parse(stdout) as Found
  }, patience(240_000))
  afterAll(() => served?.stop())

  it("bitcoin-net shakes hands, takes headers, a block and a transaction, and its own is taken", () => {
    const { first, hashes, peer, waiting } = found
    assert.match(peer["agent"] as string, /^\/Satoshi:31\.99\.0\/Lockstep:/)
    assert.deepStrictEqual(peer["services"], ["NODE_NETWORK", "NODE_NETWORK_LIMITED", "NODE_WITNESS"])
    assert.strictEqual(peer["firstHeader"], hashes[0])
    assert.isAtLeast(peer["headers"] as number, 102)
    assert.deepStrictEqual([peer["transactions"], peer["pinged"], peer["served"]], [1, "number", 1])
    assert.deepStrictEqual(waiting, [first, peer["second"] as string].toSorted())
  })

  it("zeromq gets every message of its topics in turn, with the bytes of blocks and transactions", async () => {
    const { tip, zmq } = found
    assert.deepStrictEqual(zmq["inTurn"], ["hashblock", "hashtx", "rawblock", "rawtx", "sequence"])
    assert.strictEqual(zmq["rawTransaction"], true)
    const { size } = await served.client.call("getblock", tip) as { readonly size: number }
    assert.strictEqual(zmq["lastBlock"], size)
    // Added to the mempool, and a block that was connected.
    assert.deepStrictEqual(zmq["labels"], [["A"], ["C"]])
  })

  it("rpc-bitcoin reads blocks, headers, coins, the mempool and the chain by REST", async () => {
    const { first, hashes, rest, waiting } = found
    assert.deepStrictEqual(rest["contents"], waiting)
    assert.deepStrictEqual([rest["txid"], rest["chain"], rest["atHeight"]], [first, "regtest", hashes[1]])
    // Spent in the mempool and unspent there, and as the chain alone has it.
    assert.deepStrictEqual(rest["bitmaps"], ["01", "1"])
    assert.deepStrictEqual(rest["headers"], [5, 6, 7])
    assert.deepStrictEqual(rest["block"], [hashes[1], 1])
    const { previousblockhash } = await served.client.call("getblock", found.tip) as {
      readonly previousblockhash: string
    }
    assert.strictEqual(rest["bestblockhash"], previousblockhash)
  })
})
