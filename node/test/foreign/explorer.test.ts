import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "../process/node-process.ts"
import { areInstalled } from "./install.ts"
import { PASSWORD, servedNode, type ServedNode, USER } from "./served-chain.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const PROGRAM = fileURLToPath(new URL("programs/explorer.cjs", import.meta.url))

/** Runs the explorer until it serves pages. */
const startExplorer = async (port: number, rpcPort: number): Promise<ChildProcess> => {
  const child = endsWithTests(spawn(process.execPath, [PROGRAM, String(port), String(rpcPort), USER, PASSWORD], {
    stdio: ["ignore", "pipe", "pipe"]
  }))
  let said = ""
  child.stderr.on("data", (chunk: Buffer) => void (said += chunk.toString()))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes("explorer is ready")) resolve()
    })
    child.once("close", () => reject(new Error(`the explorer ended:\n${said}`)))
  })
  await ready
  return child
}

type Block = {
  readonly hash: string
  readonly height: number
  readonly tx: ReadonlyArray<{ readonly txid: string; readonly hex: string }>
}

describe.runIf(areInstalled)("an explorer that others wrote (bitcore-node with insight-api)", () => {
  let served: ServedNode
  let explorer: ChildProcess
  let port = 0
  let blocks: ReadonlyArray<string> = []
  beforeAll(async () => {
    served = await servedNode()
    blocks = await served.client.call("generatetodescriptor", 103, "raw(51)") as ReadonlyArray<string>
    port = await freePort()
    explorer = await startExplorer(port, served.port)
  })
  afterAll(async () => {
    explorer?.kill()
    if (explorer?.exitCode === null && explorer.signalCode === null) await once(explorer, "close")
    await served?.stop()
  })

  /** A page's data; every page asked for here is there. */
  const page = async (path: string): Promise<Record<string, any>> => { // oxlint-disable-line typescript/no-explicit-any
    const answer = await fetch(`http://127.0.0.1:${port}/insight-api${path}`)
    const text = await answer.text()
    assert.strictEqual(answer.status, 200, `${path}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  it("shows where the chain is", async () => {
    assert.deepInclude(await page("/sync"), {
      status: "finished",
      height: 103,
      blockChainHeight: 103,
      syncPercentage: 100
    })
    assert.deepStrictEqual(await page("/status?q=getBestBlockHash"), { bestblockhash: blocks.at(-1) })
  })

  it("shows blocks by hash and by height, as data and as bytes", async () => {
    const hash = blocks[4]!
    const ours = await served.client.call("getblock", hash, 2) as Block
    const shown = await page(`/block/${hash}`)
    assert.deepInclude(shown, {
      hash,
      height: 5,
      confirmations: 99,
      tx: ours.tx.map(({ txid }) => txid),
      previousblockhash: blocks[3]
    })
    assert.deepStrictEqual(await page("/block-index/5"), { blockHash: hash })
    assert.deepStrictEqual(await page(`/rawblock/${hash}`), {
      rawblock: await served.client.call("getblock", hash, 0)
    })
  })

  it("shows transactions, one and all of a block", async () => {
    const hash = blocks[4]!
    const { tx: [ours] } = await served.client.call("getblock", hash, 2) as Block
    const shown = await page(`/tx/${ours!.txid}`)
    // Height and amounts it takes from members that only a patched node has.
    assert.deepInclude(shown, { txid: ours!.txid, blockhash: hash, isCoinBase: true })
    assert.strictEqual(shown["vout"][0].scriptPubKey.hex, "51")
    assert.deepStrictEqual(await page(`/rawtx/${ours!.txid}`), { rawtx: ours!.hex })
    const { txs } = await page(`/txs?block=${hash}`)
    assert.deepStrictEqual(txs.map(({ txid }: { readonly txid: string }) => txid), [ours!.txid])
  })

  it("says of what is not there that it is not found", async () => {
    for (const path of [`/block/${"00".repeat(32)}`, `/tx/${"11".repeat(32)}`]) {
      assert.strictEqual((await fetch(`http://127.0.0.1:${port}/insight-api${path}`)).status, 404, path)
    }
  })
})
