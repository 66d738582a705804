import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import type { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { ROUTES } from "../../src/rest/routes/table.ts"
import { freePort, spawnNode, startNode } from "../process/node-process.ts"
import { fits } from "../rpc/result-fits.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const configuration = (directory: string, port: number): string => {
  const path = join(directory, "node.toml")
  const table = `[rest_api]\nenabled = true\nlisten_addr = "127.0.0.1:${port}"\n[rpc_auth]\nadmin_tokens = ["admin"]\n`
  writeFileSync(path, `transport_preference = "tcponly"\n${table}`, { mode: 0o600 })
  return path
}

/** What asks a node for a path, by an administrator unless asked otherwise. */
const asking = (port: number) => async (path: string, verb = "GET", body?: object, token = "admin") => {
  const headers = { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) }
  const sent = body === undefined ? { method: verb, headers } : { method: verb, headers, body: JSON.stringify(body) }
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, sent)
  const text = await answer.text()
  const envelope = readJson(text) as JsonMembers
  return { status: answer.status, text, data: envelope.get("data") ?? null }
}

describe("a node that serves REST", () => {
  it.live(
    "reports its network and its filters, and allows administrators to change its peers",
    () =>
      Effect.gen(function*() {
        const directory = yield* temporaryDirectory
        yield* Effect.promise(async () => {
          const [port, listen] = [await freePort(), await freePort()]
          const args = ["--config", configuration(directory, port), "--listen-addr", `127.0.0.1:${listen}`]
          const filters = ["--set", "storage.indexing.blockfilterindex=true"]
          const node = await startNode(directory, { args: [...args, ...filters], token: "admin" })
          const ask = asking(port)
          const hash = String(await node.client.call("getblockhash", 0))
          for (
            const route of ROUTES.filter(({ path, verb }) =>
              verb === "GET" && (path.startsWith("/network/") || path.endsWith("/filter"))
            )
          ) {
            const { data, status, text } = await ask(route.path.replace("{hash}", hash), "GET", undefined, "")
            assert.strictEqual(status, 200, `${route.path}: ${text}`)
            assert.isTrue(fits(route.result, data), `${route.path}: ${text}`)
          }
          const statuses: ReadonlyArray<readonly [path: string, verb: string, status: number, body?: object]> = [
            ["/network/ping", "POST", 200],
            ["/network/nodes", "POST", 200, { address: "127.0.0.1:1", command: "add" }],
            ["/network/nodes", "POST", 409, { address: "127.0.0.1:1", command: "add" }],
            ["/network/nodes/127.0.0.1:1", "DELETE", 200],
            ["/network/nodes/127.0.0.1:1", "DELETE", 404],
            ["/network/bans", "POST", 200, { subnet: "192.0.2.0/24", bantime: 100 }],
            ["/network/bans", "POST", 409, { subnet: "192.0.2.0/24" }],
            ["/network/bans", "POST", 400, { subnet: "nonsense" }],
            ["/network/bans/192.0.2.0%2F24", "DELETE", 200],
            ["/network/bans/192.0.2.0%2F24", "DELETE", 404],
            ["/network/bans", "DELETE", 200],
            ["/network/bans", "PUT", 405],
            ["/network/active", "POST", 400, { state: "yes" }],
            ["/network/active", "POST", 200, { state: false }]
          ]
          for (const [path, verb, status, body] of statuses) {
            const answer = await ask(path, verb, body)
            assert.strictEqual(answer.status, status, `${verb} ${path}: ${answer.text}`)
          }
          assert.strictEqual((await ask("/network/bans", "DELETE", undefined, "")).status, 403)
          await node.client.call("stop")
          node.client.close()
          await node.ended
        })
      })
  )

  it.live("answers at the address it is given, until it stops", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const port = await freePort()
        const node = await startNode(directory, { args: ["--config", configuration(directory, port)], token: "admin" })
        const url = `http://127.0.0.1:${port}/api/v1`
        const answer = await fetch(`${url}/chain/tip`)
        assert.strictEqual(answer.status, 200)
        const { data } = await answer.json() as { readonly data: { readonly height: number } }
        assert.strictEqual(data.height, 0)
        const stopped = await fetch(`${url}/node/stop`, { method: "POST", headers: { authorization: "Bearer admin" } })
        assert.strictEqual(stopped.status, 200)
        assert.strictEqual((await node.ended).exitCode, 0)
      })
    }))

  it.live("says what to do when another program listens there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const other = createServer().listen(0, "127.0.0.1")
        await once(other, "listening")
        const { port } = other.address() as { readonly port: number }
        const rpc = await freePort()
        const args = ["start", "--network", "regtest", "--data-dir", directory, "--rpc-addr", `127.0.0.1:${rpc}`]
        const { exitCode, stderr, stdout } = await spawnNode([...args, "--config", configuration(directory, port)])
          .ended
        other.close()
        assert.strictEqual(exitCode, 1)
        assert.include(stdout + stderr, `cannot listen for REST on 127.0.0.1:${port}: another program listens there`)
        assert.include(stdout + stderr, "[rest_api].listen_addr")
      })
    }))
})
