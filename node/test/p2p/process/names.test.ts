import { afterAll, assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { SIGNET } from "@lockstep/protocol/networks/signet.ts"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { freePort, spawnNode } from "../../process/node-process.ts"
import { patience } from "../../process/patience.ts"
import { startProxy } from "../transport/proxy-server.ts"

const PATIENCE_MS = patience(60_000)
const root = mkdtempSync(join(tmpdir(), "lockstep-names-"))

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Writes down every name that the process asks a resolver for. */
const WATCH = `
import dns from "node:dns"
import { appendFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { isIP } from "node:net"
for (const of of [dns, dns.promises]) {
  for (const [name, original] of Object.entries(of)) {
    if (typeof original !== "function" || !/^(lookup|resolve|reverse)/.test(name)) continue
    of[name] = (...args) => {
      if (isIP(String(args[0])) === 0) appendFileSync(process.env.NAMES_FILE, String(args[0]) + "\\n")
      return original.apply(of, args)
    }
  }
}
syncBuiltinESMExports()
`

/** A node with these lines of configuration, and what it asks name servers for. */
const watched = async (name: string, network: string, lines: ReadonlyArray<string>) => {
  const [config, hook, names] = [`${name}.toml`, "watch.mjs", `${name}.names`].map((file) => join(root, file)) as [
    string,
    string,
    string
  ]
  writeFileSync(hook, WATCH)
  writeFileSync(config, ["transport_preference = \"tcponly\"", ...lines].join("\n"))
  const rpc = `127.0.0.1:${await freePort()}`
  const args = ["start", "--network", network, "--data-dir", join(root, name), "--config", config, "--rpc-addr", rpc]
  const node = spawnNode(args, { NODE_OPTIONS: `--import ${pathToFileURL(hook).href}`, NAMES_FILE: names })
  return { node, names: () => existsSync(names) ? readFileSync(names, "utf8").trim().split("\n") : [] }
}

const until = async (holds: () => boolean): Promise<void> => {
  for (const deadline = Date.now() + PATIENCE_MS; !holds() && Date.now() < deadline;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

describe("names of nodes and of name servers", () => {
  it.live("are resolved only by the proxy, where there is one", () =>
    Effect.gen(function*() {
      const proxy = yield* startProxy({ reply: Uint8Array.of(5, 4, 0, 1, 0, 0, 0, 0, 0, 0) })
      const { names, node } = yield* Effect.promise(() =>
        watched("behind", "signet", [
          "persistent_peers = [\"node.example:7\"]",
          "[connections]",
          `proxy = "${endpointText(proxy.at)}"`,
          "fixed_seeds = false"
        ])
      )
      const wanted = ["node.example", ...SIGNET.dnsSeeds]
      const hosts = (): ReadonlyArray<string> => proxy.asked.map(({ host }) => host)
      yield* Effect.promise(() => until(() => wanted.every((name) => hosts().includes(name))))
      node.signal("SIGTERM")
      const { exitCode } = yield* Effect.promise(() => node.ended)
      assert.includeMembers([...hosts()], wanted)
      assert.isTrue(proxy.asked.every(({ type }) => type === 3))
      assert.strictEqual(proxy.asked.find(({ host }) => host === "node.example")?.port, 7)
      assert.strictEqual(proxy.asked.find(({ host }) => host === SIGNET.dnsSeeds[0])?.port, SIGNET.port)
      assert.deepStrictEqual(names(), [])
      assert.strictEqual(exitCode, 0)
    }))

  it("are looked up by the machine without one", async () => {
    const { names, node } = await watched("open", "regtest", ["persistent_peers = [\"node.invalid:7\"]"])
    await until(() => names().length > 0)
    node.signal("SIGTERM")
    await node.ended
    assert.include(names(), "node.invalid")
  })
})
