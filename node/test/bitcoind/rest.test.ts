import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { makePlace, type Place } from "./bitcoind-process.ts"

let place: Place
let node: ReturnType<Place["start"]>

beforeEach(async () => void (place = await makePlace()))

afterEach(async () => {
  await place.call("stop")
  await node.ended
  place.remove()
})

const start = async (...words: ReadonlyArray<string>): Promise<void> => {
  node = place.start(...words)
  await place.ready()
}

const ask = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${place.port}${path}`, init)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get("content-type"), text: bytes.toString(), bytes }
}

const text = (status: number, message: string) => ({ status, type: "text/plain", text: `${message}\r\n` })

const withoutBytes = ({ status, text: body, type }: Awaited<ReturnType<typeof ask>>) => ({ status, type, text: body })

describe("bitcoind -rest", () => {
  it("answers what RPC does, in every form, to callers without credentials", async () => {
    await start("-rest")
    const [hash] = await place.call("generatetodescriptor", 1, "raw(51)") as ReadonlyArray<string>
    const json = async (path: string): Promise<unknown> => JSON.parse((await ask(path)).text)
    assert.deepStrictEqual(await json("/rest/chaininfo.json"), await place.call("getblockchaininfo"))
    assert.deepStrictEqual(await json(`/rest/block/${hash}.json`), await place.call("getblock", hash, 3))
    assert.deepStrictEqual(await json(`/rest/headers/1/${hash}.json`), [await place.call("getblockheader", hash)])
    const digits = await place.call("getblock", hash, 0) as string
    assert.strictEqual((await ask(`/rest/block/${hash}.bin`)).bytes.toString("hex"), digits)
    const hex = await ask(`/rest/block/${hash}.hex`)
    assert.deepStrictEqual(withoutBytes(hex), { status: 200, type: "text/plain", text: `${digits}\n` })
    assert.strictEqual((await ask(`/rest/blockpart/${hash}.hex?offset=4&size=2`)).text, `${digits.slice(8, 12)}\n`)
    assert.strictEqual((await ask("/rest/blockhashbyheight/1.hex")).text, `${hash}\n`)
  })

  it("finds unspent outputs by path, and reads the length before a body as Bitcoin Core does", async () => {
    await start("-rest")
    const [hash] = await place.call("generatetodescriptor", 1, "raw(51)") as ReadonlyArray<string>
    const { tx: [txid] } = await place.call("getblock", hash) as { readonly tx: ReadonlyArray<string> }
    const byPath = JSON.parse((await ask(`/rest/getutxos/${txid}-0/${txid}-9.json`)).text)
    assert.deepInclude(byPath, { chainHeight: 1, chaintipHash: hash, bitmap: "10" })
    assert.deepInclude(byPath.utxos[0], { height: 1, value: 50 })
    const outpoint = Buffer.concat([Buffer.from(txid!, "hex").reverse(), Buffer.alloc(4)])
    // One outpoint: its count comes first, since the length of the body stands for the flag.
    const body = new Uint8Array(Buffer.concat([Buffer.from([1]), outpoint]))
    const { bytes } = await ask("/rest/getutxos.bin", { method: "POST", body })
    assert.strictEqual(bytes.subarray(36, 39).toString("hex"), "010101")
    assert.deepStrictEqual(
      withoutBytes(await ask("/rest/getutxos.json", { method: "POST", body })),
      text(400, "Error: empty request")
    )
  })

  it("refuses with Bitcoin Core's statuses and texts", async () => {
    await start("-rest")
    const refusals: ReadonlyArray<readonly [path: string, status: number, message: string]> = [
      ["/rest/block/zz.json", 400, "Invalid hash: zz"],
      [`/rest/block/${"ab".repeat(32)}.bin`, 404, `${"ab".repeat(32)} not found`],
      ["/rest/chaininfo.hex", 404, "output format not found (available: json)"],
      ["/rest/headers/0/00.json", 400, "Header count is invalid or out of acceptable range (1-2000): 0"],
      ["/rest/blockhashbyheight/5.bin", 404, "Block height out of range"],
      ["/rest/blockfilter/basic/00.json", 400, "Invalid hash: 00"],
      [`/rest/blockfilter/basic/${"ab".repeat(32)}.json`, 400, "Index is not enabled for filtertype basic"],
      ["/rest/mempool/foo.json", 400, "Invalid URI format. Expected /rest/mempool/<info|contents>.json"]
    ]
    for (const [path, status, message] of refusals) {
      // oxlint-disable-next-line eslint/no-await-in-loop
      assert.deepStrictEqual(withoutBytes(await ask(path)), text(status, message), path)
    }
    assert.deepInclude(await ask("/rest/nothing.json"), { status: 404, text: "" })
    assert.deepInclude(await ask("/rest/chaininfo.json", { method: "DELETE" }), { status: 405, text: "" })
  })

  it("is off without the option", async () => {
    await start()
    assert.deepInclude(await ask("/rest/chaininfo.json"), { status: 404, text: "" })
  })
})
