import { assert, describe, it } from "@effect/vitest"
import { type Pin, semanticVersionOf, versionRequirementOf } from "@lockstep/protocol/module-manifest/index.ts"
import { runTool } from "@lockstep/sdk/tools"
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { discoverModules } from "../../src/modules/registry/discover.ts"
import { installModule, type Registry } from "../../src/modules/registry/install-module.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-registry-"))
const files = new Map<string, string>()
let server: Server
let url = ""
let trusted = ""
let other = ""

const keygen = async (name: string): Promise<string> => (await runTool(["keygen", join(root, name)])).stdout.trim()

beforeAll(async () => {
  trusted = await keygen("ann")
  other = await keygen("eve")
  server = createServer((request, response) => {
    const content = files.get(request.url!.slice(1))
    response.writeHead(content === undefined ? 404 : 200).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/index.json`
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
  rmSync(root, { recursive: true, force: true })
})

const MANIFEST = (version: string): string =>
  `name = "watcher"\nversion = "${version}"\ndescription = ""\nentry_point = "run"\ncapabilities = []\n`

const offer = (version: string, more: object = {}) => ({
  name: "watcher",
  version,
  path: `watcher-${version}/`,
  ...more
})

const OFFERS = [offer("0.1.0"), offer("0.2.0"), offer("0.3.0", { platform: "plan9-mips" }), offer("1.0.0"), {
  odd: true
}]

/** Signs what a directory lists. */
const signatureOf = async (content: string, key: string): Promise<string> => {
  writeFileSync(join(root, "SHA256SUMS"), content)
  await runTool(["sign-binary", join(root, "SHA256SUMS"), "--key", join(root, key), "--out", join(root, "sig")])
  return readFileSync(join(root, "sig"), "utf8")
}

/** What the server has, signed by the owner of a key. */
const publish = async (content: Readonly<Record<string, string>> = {}, key = "ann"): Promise<void> => {
  files.clear()
  files.set("index.json", JSON.stringify({ modules: OFFERS }))
  for (const version of ["0.1.0", "0.2.0", "0.3.0", "1.0.0"]) {
    files.set(`watcher-${version}/module.toml`, MANIFEST(version))
    files.set(`watcher-${version}/run`, `#!/bin/sh\necho ${version}\n`)
  }
  for (const [path, text] of Object.entries(content)) files.set(path, text)
  const sums = [...files].map(([path, text]) => `${createHash("sha256").update(text).digest("hex")}  ${path}\n`).join(
    ""
  )
  files.set("SHA256SUMS", sums)
  files.set("SHA256SUMS.sig", await signatureOf(sums, key))
}

const registry = (): Registry => ({
  url: new URL(url),
  trustedKeys: new Set([trusted]),
  directory: mkdtempSync(join(root, "modules-"))
})

const pin = (written: string): Pin => ({ written, requirement: versionRequirementOf(written)! })

const version = semanticVersionOf("0.1.0")!

describe("a module that is pinned and missing", () => {
  it.effect("is downloaded in the newest version that is allowed and runs here, and the node loads it", () =>
    Effect.gen(function*() {
      yield* Effect.promise(() => publish())
      const from = registry()
      assert.strictEqual(yield* installModule(from, "watcher", pin("0.*")), "0.2.0")
      const { modules } = yield* discoverModules(from.directory, {
        versions: { consensus: version, protocol: version, node: version },
        pins: new Map([["watcher", pin("0.*")]]),
        signatures: { required: false, trustedKeys: new Set() }
      })
      assert.deepStrictEqual(modules.map(({ manifest }) => manifest.versionText), ["0.2.0"])
      assert.deepStrictEqual(readdirSync(from.directory), ["watcher"])
      assert.include(readFileSync(join(from.directory, "watcher", "run"), "utf8"), "echo 0.2.0")
      assert.strictEqual(statSync(join(from.directory, "watcher", "run")).mode & 0o777, 0o755)
      assert.strictEqual(readFileSync(join(from.directory, "watcher", "module.toml"), "utf8"), MANIFEST("0.2.0"))
    }))

  const change = (path: string, content: string | undefined) => (): Promise<void> => {
    if (content === undefined) files.delete(path)
    else files.set(path, content)
    return Promise.resolve()
  }

  it.effect.each<readonly [string, () => Promise<void>, RegExp]>([
    [
      "checksums without a signature",
      change("SHA256SUMS.sig", undefined),
      /SHA256SUMS\.sig cannot be fetched: the server answered 404/
    ],
    [
      "an empty list of signatures",
      change("SHA256SUMS.sig", ""),
      /no valid signature by a key of \[modules\]\.trusted_keys/
    ],
    ["signatures that are no TOML", change("SHA256SUMS.sig", "= ="), /no valid signature by a key/],
    ["signatures that are no list", change("SHA256SUMS.sig", "signatures = 7"), /no valid signature by a key/],
    ["a signature of another key", () => publish({}, "eve"), /no valid signature by a key/],
    ["other checksums than were signed", change("SHA256SUMS", "00  run\n"), /no valid signature by a key/],
    [
      "another program than was signed",
      change("watcher-0.2.0/run", "#!/bin/sh\n"),
      /watcher-0\.2\.0\/run has not the hash in SHA256SUMS/
    ],
    ["another manifest than was signed", change("watcher-0.2.0/module.toml", ""), /module\.toml has not the hash/],
    ["another index than was signed", change("index.json", "{}"), /index\.json has not the hash/],
    [
      "no program",
      change("watcher-0.2.0/run", undefined),
      /watcher-0\.2\.0\/run cannot be fetched: the server answered 404/
    ],
    [
      "a manifest of another version",
      () => publish({ "watcher-0.2.0/module.toml": MANIFEST("0.2.1") }),
      /is of watcher 0\.2\.1, and the index says watcher 0\.2\.0/
    ],
    [
      "a manifest of another module",
      () => publish({ "watcher-0.2.0/module.toml": MANIFEST("0.2.0").replace("watcher", "zmq") }),
      /is of zmq 0\.2\.0, and the index says watcher 0\.2\.0/
    ],
    [
      "an index that names what the checksums do not",
      () => publish({ "index.json": JSON.stringify({ modules: [offer("0.2.0", { path: "gone/" })] }) }),
      /SHA256SUMS does not name gone\/module\.toml/
    ],
    [
      "an index without the version that is asked for",
      () => publish({ "index.json": JSON.stringify({ modules: [offer("1.0.0")] }) }),
      /the registry has no watcher that meets 0\.\*/
    ],
    [
      "an index without the module",
      () => publish({ "index.json": JSON.stringify({ modules: [offer("0.2.0", { name: "zmq" })] }) }),
      /the registry has no watcher that meets 0\.\*/
    ],
    ["a bad manifest", () => publish({ "watcher-0.2.0/module.toml": "name = 1" }), /module\.toml: name must be/],
    ["an index that is no JSON", () => publish({ "index.json": "{" }), /the index is not JSON/],
    [
      "a way out of the registry",
      () => publish({ "index.json": JSON.stringify({ modules: [offer("0.2.0", { path: "../x/" })] }) }),
      /the registry has no watcher that meets 0\.\*/
    ],
    [
      "a manifest that is too long",
      () => publish({ "watcher-0.2.0/module.toml": "#".repeat(70_000) }),
      /it has more than 65536 bytes/
    ]
  ])("is not installed from a registry with %s", ([, act, reason]) =>
    Effect.gen(function*() {
      yield* Effect.promise(() => publish())
      yield* Effect.promise(act)
      const from = registry()
      assert.match(yield* Effect.flip(installModule(from, "watcher", pin("0.*"))), reason)
      assert.deepStrictEqual(readdirSync(from.directory), [])
    }))

  it.effect("is not installed where nothing answers, or over what has its name", () =>
    Effect.gen(function*() {
      yield* Effect.promise(() => publish())
      const from = registry()
      const gone = { ...from, url: new URL("http://127.0.0.1:1/index.json") }
      assert.match(yield* Effect.flip(installModule(gone, "watcher", pin("*"))), /SHA256SUMS cannot be fetched: /)
      mkdirSync(join(from.directory, "watcher"))
      writeFileSync(join(from.directory, "watcher", "kept"), "")
      assert.match(yield* Effect.flip(installModule(from, "watcher", pin("*"))), /it cannot be written/)
      assert.isTrue(existsSync(join(from.directory, "watcher", "kept")))
      assert.deepStrictEqual(readdirSync(from.directory), ["watcher"])
      assert.strictEqual(dirname(from.directory), root)
      assert.notStrictEqual(other, trusted)
    }))
})
