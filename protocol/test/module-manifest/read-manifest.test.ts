import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type Manifest, manifestFaultText, readManifest, signedManifestBytes } from "../../src/module-manifest/index.ts"
import { toHex } from "../wire/hex.ts"

const MINIMAL = {
  name: "watcher",
  version: "0.1.0",
  description: "Watches.",
  entry_point: "watcher",
  capabilities: ["read_chain_state", "SubscribeEvents"]
}
const KEY = "02".padEnd(66, "1")
const MAINTAINER = { name: "Ann", key: KEY, signature: "ab".repeat(64) }
const WHOLE = {
  ...MINIMAL,
  capabilities: [...MINIMAL.capabilities, "network_access"],
  author: "Ann",
  dependencies: { zmq: "0.1.*", node: ">=0.1.0" },
  optional_dependencies: { other: "^1.0.0" },
  governance: { tier: "economic", maintainers: ["Ann"], threshold: "1-of-1", review_period_days: 7 },
  compatibility: {
    min_consensus_version: "0.1.0",
    min_protocol_version: "0.1.0",
    min_node_version: "0.1.0",
    tested_with: ["0.1.0"]
  },
  binary: { hash: `sha256:${"cd".repeat(32)}`, size: 12, download_url: "https://modules.example/watcher" },
  signatures: { maintainers: [MAINTAINER], threshold: "1-of-2" },
  rpc_overrides: ["analyzepsbt"],
  network_listen: ["127.0.0.1:3333"],
  network_connect: ["*:443", "[::1]:1-9"]
}

const read = (content: object): Manifest => Result.getOrThrow(readManifest(content as never))

const faults = (content: object): ReadonlyArray<string> => {
  const answer = readManifest(content as never)
  assert(Result.isFailure(answer), "the manifest is accepted")
  return answer.failure.map(manifestFaultText)
}

const signed = (content: object): string => toHex(signedManifestBytes(content as never))

describe("a manifest", () => {
  it("needs five fields, and takes permissions in both of their forms", () => {
    const manifest = read(MINIMAL)
    assert.deepStrictEqual(manifest.capabilities, ["read_chain_state", "subscribe_events"])
    assert.strictEqual(manifest.entryPoint, "watcher")
    assert.isUndefined(manifest.signatures)
  })

  it("is read with every field that it may have", () => {
    const manifest = read(WHOLE)
    assert.deepStrictEqual(manifest.signatures?.threshold, { needed: 1, of: 2 })
    assert.strictEqual(toHex(manifest.signatures!.maintainers[0]!.key), KEY)
    assert.strictEqual(toHex(manifest.binary!.hash), "cd".repeat(32))
    assert.deepStrictEqual(manifest.dependencies.map(({ name, written }) => [name, written]), [
      ["zmq", "0.1.*"],
      ["node", ">=0.1.0"]
    ])
    assert.strictEqual(manifest.compatibility.testedWith.length, 1)
    assert.deepStrictEqual(manifest.rpcOverrides, ["analyzepsbt"])
    assert.deepStrictEqual(manifest.networkListen, [{ host: "127.0.0.1", ports: { least: 3333, most: 3333 } }])
    assert.deepStrictEqual(manifest.networkConnect, [
      { host: undefined, ports: { least: 443, most: 443 } },
      { host: "::1", ports: { least: 1, most: 9 } }
    ])
  })

  it("without any field is refused once for each that is missing", () => {
    assert.deepStrictEqual(faults({}), [
      "name is missing",
      "version is missing",
      "description is missing",
      "entry_point is missing",
      "capabilities is missing"
    ])
  })

  it.each<readonly [object, string]>([
    [{ name: "a b" }, "name must be a name of at most 64 ASCII letters"],
    [{ name: "9a" }, "name must be a name"],
    [{ name: "Node" }, "name must be a name"],
    [{ name: 7 }, "name must be a name"],
    [{ version: "1.0" }, "version must be a version such as 1.2.3"],
    [{ description: 1 }, "description must be a text"],
    [{ description: "a".repeat(1_025) }, "description must be a text of at most 1024 characters"],
    [{ author: [] }, "author must be a text"],
    [{ entry_point: "../bin/sh" }, "entry_point must be a file name"],
    [{ entry_point: "a/b" }, "entry_point must be a file name"],
    [{ entry_point: ".hidden" }, "entry_point must be a file name"],
    [{ entry_point: "" }, "entry_point must be a file name"],
    [{ capabilities: "read_utxo" }, "capabilities must be a list of permissions"],
    [
      { capabilities: ["read_everything"] },
      "capabilities must be a list of permissions, and \"read_everything\" is none"
    ],
    [{ dependencies: [] }, "dependencies must be a table"],
    [{ dependencies: { "a b": "*" } }, "dependencies.a b is no name of a module"],
    [{ dependencies: { zmq: "latest" } }, "dependencies.zmq must be a requirement"],
    [{ dependencies: { zmq: 1 } }, "dependencies.zmq must be a requirement"],
    [{ dependencies: { watcher: "*" } }, "dependencies.watcher is the module itself"],
    [{ optional_dependencies: { zmq: "" } }, "optional_dependencies.zmq must be a requirement"],
    [{ compatibility: { min_node_version: "new" } }, "compatibility.min_node_version must be a version"],
    [{ compatibility: { tested_with: ["1"] } }, "compatibility.tested_with must be a list of versions"],
    [{ compatibility: { min_version: "1.0.0" } }, "compatibility.min_version is not a field of a manifest"],
    [{ binary: { size: 1 } }, "binary.hash is missing"],
    [{ binary: { hash: `md5:${"00".repeat(32)}`, size: 1 } }, "binary.hash must be sha256: and a hash of 64"],
    [{ binary: { hash: `sha256:${"0g".repeat(32)}`, size: 1 } }, "binary.hash must be sha256:"],
    [{ binary: { hash: `sha256:${"00".repeat(32)}`, size: -1 } }, "binary.size must be a whole number"],
    [
      { binary: { hash: `sha256:${"00".repeat(32)}`, size: 1, download_url: "ftp://a" } },
      "binary.download_url must be a URL"
    ],
    [{ signatures: { maintainers: [] }, binary: WHOLE.binary }, "signatures.threshold is missing"],
    [{ signatures: { threshold: "1-of-1" }, binary: WHOLE.binary }, "signatures.maintainers is missing"],
    [
      { signatures: { threshold: "3-of-2", maintainers: [] }, binary: WHOLE.binary },
      "signatures.threshold must be a threshold"
    ],
    [
      { signatures: { threshold: "0-of-2", maintainers: [] }, binary: WHOLE.binary },
      "signatures.threshold must be a threshold"
    ],
    [
      { signatures: { threshold: "1-of-33", maintainers: [] }, binary: WHOLE.binary },
      "signatures.threshold must be a threshold"
    ],
    [
      { signatures: { threshold: "1-of-1", maintainers: [{ ...MAINTAINER, key: "02" }] }, binary: WHOLE.binary },
      "signatures.maintainers[0].key must be a compressed public key of 66 hexadecimal digits"
    ],
    [
      { signatures: { threshold: "1-of-1", maintainers: [{ ...MAINTAINER, signature: "" }] }, binary: WHOLE.binary },
      "signatures.maintainers[0].signature must be a signature of 128 hexadecimal digits"
    ],
    [
      { signatures: { threshold: "1-of-2", maintainers: [MAINTAINER, MAINTAINER] }, binary: WHOLE.binary },
      "signatures.maintainers[1].key is the key of another maintainer as well"
    ],
    [
      {
        signatures: { threshold: "1-of-1", maintainers: [MAINTAINER, { ...MAINTAINER, key: `03${KEY.slice(2)}` }] },
        binary: WHOLE.binary
      },
      "signatures.maintainers must not be more than the 1 of the threshold"
    ],
    [{ signatures: WHOLE.signatures }, "binary is missing, and without its hash a signature says nothing"],
    [{ governance: { threshold: "many" } }, "governance.threshold must be a threshold"],
    [{ governance: { review_period_days: 1.5 } }, "governance.review_period_days must be a whole number"],
    [{ network_listen: ["127.0.0.1"] }, "network_listen must be a list of at most 64 places such as 127.0.0.1:3333"],
    [{ network_listen: ["a:0"] }, "network_listen must be a list of at most 64 places"],
    [{ network_connect: ["a:9-8"] }, "network_connect must be a list of at most 64 places"],
    [{ network_connect: [7] }, "network_connect must be a list of at most 64 places"],
    [{ network_connect: ["a:1"] }, "network_connect needs network_access among the capabilities"],
    [
      { rpc_overrides: ["stop"] },
      "rpc_overrides must be a list of getdescriptorinfo, analyzepsbt, getzmqnotifications"
    ],
    [{ rpc_overrides: ["analyzepsbt", "analyzepsbt"] }, "rpc_overrides must be a list"],
    [{ capabilites: [] }, "capabilites is not a field of a manifest"]
  ])("with %j is refused, with one message", (change, message) => {
    const found = faults({ ...MINIMAL, ...change })
    assert.strictEqual(found.length, 1, found.join("\n"))
    assert.include(found[0], message)
  })
})

/** The place of each value in a manifest, tables and lists of tables included. */
const placesIn = (value: unknown, path: string): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return [path]
  if (Array.isArray(value)) {
    return [path, ...value.flatMap((each, i) => typeof each === "object" ? placesIn(each, `${path}[${i}]`) : [])]
  }
  const inside = Object.entries(value).flatMap(([key, each]) => placesIn(each, path === "" ? key : `${path}.${key}`))
  return path === "" ? inside : [path, ...inside]
}

/** A copy with `true`, which no field takes, at one place. */
const withTrue = (value: object, path: string): object => {
  const copy = structuredClone(value) as Record<string, unknown>
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "")
  let inner: Record<string, unknown> = copy
  for (const key of keys.slice(0, -1)) inner = inner[key] as Record<string, unknown>
  inner[keys.at(-1)!] = true
  return copy
}

describe("a value of the wrong kind", () => {
  it.each(placesIn(WHOLE, "").filter((path) => !path.endsWith("]")))(
    "at %s is refused with one message that names it",
    (path) => {
      const found = faults(withTrue(WHOLE, path))
      assert.strictEqual(found.length, 1, found.join("\n"))
      assert.isTrue(found[0]!.startsWith(`${path} must be `), found[0])
    }
  )

  it.each(["", "compatibility", "binary", "signatures", "signatures.maintainers[0]", "governance"])(
    "in a field that %j does not have is refused with one message that names it",
    (table) => {
      const path = table === "" ? "unknown" : `${table}.unknown`
      assert.deepStrictEqual(faults(withTrue(WHOLE, path)), [`${path} is not a field of a manifest`])
    }
  )
})

describe("the bytes that maintainers sign", () => {
  it("do not depend on the order of the file", () => {
    const turned = Object.fromEntries(Object.entries(WHOLE).toReversed())
    assert.strictEqual(signed(turned), signed(WHOLE))
  })

  it("do not have the signatures in them", () => {
    const other = { ...WHOLE, signatures: { ...WHOLE.signatures, maintainers: [{ ...MAINTAINER, signature: "00" }] } }
    assert.strictEqual(signed(other), signed(WHOLE))
  })

  it.each<readonly [string, object]>([
    ["a permission more", { capabilities: [...WHOLE.capabilities, "read_utxo"] }],
    ["another threshold", { signatures: { ...WHOLE.signatures, threshold: "1-of-3" } }],
    ["another key", {
      signatures: { ...WHOLE.signatures, maintainers: [{ ...MAINTAINER, key: `03${KEY.slice(2)}` }] }
    }],
    ["another maintainer", { signatures: { ...WHOLE.signatures, maintainers: [] } }],
    ["another program", { binary: { ...WHOLE.binary, hash: `sha256:${"ce".repeat(32)}` } }],
    ["a number for a text", { version: 1 }],
    ["an empty field", { author: "" }],
    ["a character moved between two fields", { name: "watche", author: "rAnn" }]
  ])("change with %s", (_, change) => assert.notStrictEqual(signed({ ...WHOLE, ...change }), signed(WHOLE)))

  it("differ where texts of a list are split in another place", () => {
    const texts = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], [["ab"], "c"]]
    assert.strictEqual(new Set(texts.map((capabilities) => signed({ ...MINIMAL, capabilities }))).size, texts.length)
  })
})
