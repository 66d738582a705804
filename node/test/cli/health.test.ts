import { assert, describe, it } from "@effect/vitest"
import { writeFileSync } from "node:fs"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { inDirectory, type Outcome, runNodeIn } from "./command-line.ts"

const askedOf = (listener: RequestListener, config = ""): Promise<Outcome> =>
  inDirectory((directory) =>
    new Promise((resolve, reject) => {
      const server = createServer(listener)
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        if (config !== "") writeFileSync(join(directory, "node.toml"), config, { mode: 0o600 })
        runNodeIn(directory, ["health", "--rpc-addr", `127.0.0.1:${port}`]).then(resolve, reject).finally(() =>
          server.close()
        )
      })
    })
  )

describe("node health", () => {
  it("shows how the chain is", async () => {
    const bodies: Array<string> = []
    const outcome = await askedOf((request, response) => {
      request.on("data", (chunk: Buffer) => bodies.push(chunk.toString()))
      request.on(
        "end",
        () => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { chain: "regtest", blocks: 7 } }))
      )
    })
    assert.deepStrictEqual([outcome.code, outcome.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(outcome.stdout), { chain: "regtest", blocks: 7 })
    assert.strictEqual((JSON.parse(bodies.join("")) as { method: string }).method, "getblockchaininfo")
  })

  it("brings the credentials of its configuration", async () => {
    const seen: Array<string | undefined> = []
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization)
      response.end(JSON.stringify({ result: {} }))
    }
    await askedOf(answer, "transport_preference = \"tcponly\"\n[rpc_auth]\nadmin_tokens = [\"admin-token\"]\n")
    await askedOf(answer, "transport_preference = \"tcponly\"\n[rpc_auth]\nusername = \"u\"\npassword = \"p\"\n")
    assert.deepStrictEqual(seen, ["Bearer admin-token", `Basic ${Buffer.from("u:p").toString("base64")}`])
  })

  it("fails with a reason when a node starts, refuses, is none, or is not there", async () => {
    const starting = await askedOf((_, response) =>
      response.end(JSON.stringify({ error: { code: -28, message: "Loading the chain" } }))
    )
    assert.deepStrictEqual([starting.code, starting.stderr], [
      1,
      "node: the node answers, but is not ready: Loading the chain\nnode: ask again in a moment\n"
    ])
    const refused = await askedOf((_, response) => response.writeHead(401).end())
    assert.strictEqual(refused.code, 1)
    assert.include(
      refused.stderr,
      "wants other credentials (HTTP 401)\nnode: this command showed no credentials at all (there is no cookie "
    )
    const other = await askedOf((_, response) => response.end("<html>"))
    assert.strictEqual(other.code, 1)
    assert.include(other.stderr, "is not a node")
    const none = await inDirectory((directory) => runNodeIn(directory, ["health", "--rpc-addr", "127.0.0.1:1"]))
    assert.strictEqual(none.code, 1)
    assert.include(none.stderr, "no node answers on 127.0.0.1:1: nothing listens there")
  })
})
