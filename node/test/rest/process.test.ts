import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { freePort, spawnNode, startNode } from "../process/node-process.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const configuration = (directory: string, port: number): string => {
  const path = join(directory, "node.toml")
  const table = `[rest_api]\nenabled = true\nlisten_addr = "127.0.0.1:${port}"\n[rpc_auth]\nadmin_tokens = ["admin"]\n`
  writeFileSync(path, `transport_preference = "tcponly"\n${table}`, { mode: 0o600 })
  return path
}

describe("a node that serves REST", () => {
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
    }), 60_000)

  it.live("says what to do when somebody else listens there", () =>
    Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(async () => {
        const other = createServer().listen(0, "127.0.0.1")
        await once(other, "listening")
        const { port } = other.address() as { readonly port: number }
        const rpc = await freePort()
        const args = ["start", "--network", "regtest", "--data-dir", directory, "--rpc-addr", `127.0.0.1:${rpc}`]
        const { exitCode, stderr, stdout } = await spawnNode([...args, "--config", configuration(directory, port)]).ended
        other.close()
        assert.strictEqual(exitCode, 1)
        assert.include(stdout + stderr, `cannot listen for REST on 127.0.0.1:${port}: another program listens there`)
        assert.include(stdout + stderr, "[rest_api].listen_addr")
      })
    }), 60_000)
})
