import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { makePlace, type Place, until } from "./bitcoind-process.ts"

let place: Place
let node: ReturnType<Place["start"]>

beforeEach(async () => void (place = await makePlace()))

afterEach(async () => {
  await until("a place is free for the stop", () => place.call("stop").then(() => true, () => false))
  await node.ended
  place.remove()
})

const postTo = async (path: string, method: string, ...params: ReadonlyArray<unknown>) => {
  const cookie = Buffer.from(readFileSync(join(place.directory, ".cookie"))).toString("base64")
  const response = await fetch(`http://127.0.0.1:${place.port}${path}`, {
    method: "POST",
    headers: { authorization: `Basic ${cookie}` },
    body: JSON.stringify({ method, params, id: 1 })
  })
  return { status: response.status, text: await response.text() }
}

const post = (method: string, ...params: ReadonlyArray<unknown>) => postTo("/", method, ...params)

/** The whole answer to bytes on a connection of their own. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(place.port, "127.0.0.1", () => socket.write(text))
    let answer = ""
    socket.on("data", (chunk: Buffer) => void (answer += chunk.toString()))
    socket.on("end", () => resolve(answer))
    socket.on("error", reject)
  })

describe("bitcoind's server of calls", () => {
  it("refuses in Bitcoin Core's words once the calls that wait fill the queue and the threads", async () => {
    node = place.start("-rpcworkqueue=1", "-rpcthreads=1")
    await place.ready()
    assert.include(place.debugLog(), "Z Starting HTTP server with 1 worker threads\n")
    const waiting = [post("waitforblockheight", 1, 4_000), post("waitforblockheight", 1, 4_000)]
    await until("both have a place", async () => {
      const { status, text } = await post("getblockcount")
      if (status !== 503) return false
      assert.strictEqual(text, "Work queue depth exceeded")
      return true
    })
    for (const { status } of await Promise.all(waiting)) assert.strictEqual(status, 200)
  })

  it("reads a request with a length and chunks by its chunks, and no other request behind it", async () => {
    node = place.start()
    await place.ready()
    const cookie = Buffer.from(readFileSync(join(place.directory, ".cookie"))).toString("base64")
    const body = "{\"method\":\"getblockcount\"}"
    const request = (length: number, ...more: ReadonlyArray<string>): string =>
      ["POST / HTTP/1.1", "Host: a", `Authorization: Basic ${cookie}`, `Content-Length: ${length}`, ...more, "", ""]
        .join("\r\n")
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const first = `${request(4, "Transfer-Encoding: chunked")}${chunks}`
    const answers = await raw(`${first}${request(body.length, "Connection: close")}${body}`)
    assert.strictEqual(answers.split("HTTP/1.1 200 OK").length, 3, answers)
    assert.strictEqual(answers.split("{\"result\":0,\"error\":null}\n").length, 3)
    const other = `${request(4, "Transfer-Encoding: gzip")}${chunks}`
    assert.match(await raw(other), /^HTTP\/1\.1 400 /)
  })

  it("takes calls at its path and those of wallets, and at no other", async () => {
    node = place.start()
    await place.ready()
    for (const path of ["/wallet/", "/wallet/a", "/wallet/a?b"]) {
      assert.deepStrictEqual(await postTo(path, "getblockcount"), {
        status: 200,
        text: "{\"result\":0,\"error\":null,\"id\":1}\n"
      })
    }
    for (const path of ["/?a", "/?", "/wallet", "/a", "/rest/chaininfo.json"]) {
      assert.deepStrictEqual(await postTo(path, "getblockcount"), { status: 404, text: "" })
    }
  })

  it("names its log, and answers a refused method without a body", async () => {
    node = place.start("-rpcwhitelist=__cookie__:getblockcount,getrpcinfo,stop")
    await place.ready()
    const { logpath } = JSON.parse((await post("getrpcinfo")).text).result
    assert.strictEqual(logpath, join(place.directory, "debug.log"))
    assert.deepStrictEqual(await post("getbestblockhash"), { status: 403, text: "" })
  })
})
