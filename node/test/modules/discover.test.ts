import { assert, describe, it } from "@effect/vitest"
import { semanticVersionOf, versionRequirementOf } from "@lockstep/protocol/module-manifest/index.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { afterAll } from "vitest"
import { type Discovery, discoverModules, type DiscoveryRules } from "../../src/modules/registry/discover.ts"
import { parseManifest } from "../../src/modules/registry/parse-manifest.ts"
import { manifestDigest } from "../../src/modules/registry/signatures.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-modules-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const version = semanticVersionOf("0.1.0")!
const RULES: DiscoveryRules = {
  versions: { consensus: version, protocol: version, node: version },
  pins: new Map(),
  signatures: { required: false, trustedKeys: new Set() }
}

const PROGRAM = "#!/bin/sh\nexit 0\n"
const HASH = createHash("sha256").update(PROGRAM).digest("hex")

const tomlOf = (name: string, more: string = ""): string =>
  `name = "${name}"
version = "0.1.0"
description = ""
entry_point = "run"
capabilities = ["read_chain_state"]
${more}`

const BINARY = `[binary]\nhash = "sha256:${HASH}"\nsize = ${PROGRAM.length}\n`

/** A directory of modules with one module for each entry. */
const modulesDirectory = (modules: Readonly<Record<string, string>>): string => {
  const directory = mkdtempSync(join(root, "modules-"))
  for (const [name, toml] of Object.entries(modules)) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, "module.toml"), toml)
    writeFileSync(join(directory, name, "run"), PROGRAM, { mode: 0o755 })
  }
  return directory
}

const discovered = (directory: string, rules: Partial<DiscoveryRules> = {}) =>
  discoverModules(directory, { ...RULES, ...rules })

const loadable = ({ modules }: Discovery) => modules.map(({ manifest }) => manifest.name)
const reasons = ({ refused }: Discovery) =>
  Object.fromEntries(refused.map((each) => [basename(each.directory), each.reasons.join("; ")]))

/** The reason for which the only module is refused. */
const reason = (toml: string, rules: Partial<DiscoveryRules> = {}) =>
  Effect.map(discovered(modulesDirectory({ a: toml }), rules), (discovery) => reasons(discovery)["a"] ?? "loaded")

const SECRETS = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte))
const keyOf = (secret: Uint8Array): string => Buffer.from(secp256k1.getPublicKey(secret, true)).toString("hex")

const maintainer = (secret: Uint8Array, signature: string): string =>
  `[[signatures.maintainers]]\nname = "Ann ${secret[0]}"\nkey = "${keyOf(secret)}"\nsignature = "${signature}"\n`

/** A manifest that the owners of the secrets sign. */
const signed = (secrets: ReadonlyArray<Uint8Array>, threshold: string): string => {
  const withSignatures = (signatures: ReadonlyArray<string>) =>
    tomlOf("a", `${BINARY}[signatures]\nthreshold = "${threshold}"\n`) +
    secrets.map((secret, i) => maintainer(secret, signatures[i]!)).join("")
  const unsigned = Result.getOrThrow(parseManifest(withSignatures(secrets.map(() => "00".repeat(64)))))
  const digest = manifestDigest(unsigned.content)
  return withSignatures(
    secrets.map((secret) => Buffer.from(secp256k1.sign(digest, secret, { prehash: false })).toString("hex"))
  )
}

const trusting = (...secrets: ReadonlyArray<Uint8Array>): Partial<DiscoveryRules> => ({
  signatures: { required: true, trustedKeys: new Set(secrets.map(keyOf)) }
})

describe("the directory of modules", () => {
  it.effect("is read in the order of dependencies, and a bad module does not keep others out", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({
        a: tomlOf("a", "[dependencies]\nb = \"0.1.*\""),
        b: tomlOf("b"),
        broken: "name = ",
        empty: ""
      })
      mkdirSync(join(directory, "no-module"))
      const discovery = yield* discovered(directory)
      assert.deepStrictEqual(loadable(discovery), ["b", "a"])
      const { broken, empty } = reasons(discovery)
      assert.match(broken!, /^not valid TOML at line 1, column /)
      assert.include(empty!, "name is missing; version is missing")
      assert.lengthOf(discovery.refused, 2)
      assert.strictEqual(Buffer.from(discovery.modules[0]!.program.hash).toString("hex"), HASH)
    }))

  it.effect("may be missing", () =>
    Effect.gen(function*() {
      const discovery = yield* discovered(join(root, "nowhere"))
      assert.deepStrictEqual(discovery, { modules: [], refused: [] })
    }))

  it.effect("that cannot be read is refused, with the reason", () =>
    Effect.gen(function*() {
      const file = join(root, "file")
      writeFileSync(file, "")
      const discovery = yield* discovered(file)
      assert.deepStrictEqual(discovery, {
        modules: [],
        refused: [{ directory: file, reasons: ["cannot be read: ENOTDIR"] }]
      })
    }))

  it.effect("has programs beside the manifest or in target/release, which comes first", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({ a: tomlOf("a") })
      const release = join(directory, "a", "target", "release")
      mkdirSync(release, { recursive: true })
      writeFileSync(join(release, "run"), "#!/bin/sh\n", { mode: 0o755 })
      const { modules } = yield* discovered(directory)
      assert.strictEqual(modules[0]!.program.path, join(release, "run"))
    }))

  it.effect("keeps out what is not the pinned version", () =>
    Effect.gen(function*() {
      const pins = new Map([["a", { written: "^1.0.0", requirement: versionRequirementOf("^1.0.0")! }]])
      assert.strictEqual(yield* reason(tomlOf("a"), { pins }), "has version 0.1.0, and [modules].a asks for ^1.0.0")
    }))

  it.effect("takes a manifest of 65536 bytes, and no longer one", () =>
    Effect.gen(function*() {
      const ofLength = (length: number) => {
        const toml = tomlOf("a", "#")
        return toml + "a".repeat(length - toml.length)
      }
      assert.strictEqual(yield* reason(ofLength(65_536)), "loaded")
      assert.strictEqual(yield* reason(ofLength(65_537)), "module.toml is longer than 65536 bytes")
    }))

  it.effect("is looked at as far as 256 directories, and hidden ones and files are passed over", () =>
    Effect.gen(function*() {
      const names = Array.from({ length: 257 }, (_, i) => `m${String(i).padStart(3, "0")}`)
      const directory = modulesDirectory({ [names[0]!]: tomlOf("m000"), [names[255]!]: tomlOf("m255") })
      for (const name of names) mkdirSync(join(directory, name), { recursive: true })
      mkdirSync(join(directory, ".hidden"))
      writeFileSync(join(directory, ".hidden", "module.toml"), tomlOf("hidden"))
      writeFileSync(join(directory, "a-file"), "")
      const discovery = yield* discovered(directory)
      assert.deepStrictEqual(loadable(discovery), ["m000", "m255"])
      assert.deepStrictEqual(reasons(discovery), { m256: "is beyond the 256 directories that are looked at" })
    }))

  it.effect("says why a manifest cannot be read, and takes a directory in its place for no module's", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({ a: tomlOf("a"), b: tomlOf("b") })
      rmSync(join(directory, "a", "module.toml"))
      symlinkSync("module.toml", join(directory, "a", "module.toml"))
      rmSync(join(directory, "b", "module.toml"))
      mkdirSync(join(directory, "b", "module.toml"))
      const { a, b } = reasons(yield* discovered(directory))
      assert.strictEqual(a, "module.toml cannot be read: ELOOP")
      assert.include(b, "EISDIR")
    }))

  it.effect("keeps out a manifest that is too long", () =>
    Effect.gen(function*() {
      assert.include(yield* reason(tomlOf("a", `# ${"a".repeat(70_000)}`)), "module.toml is longer than 65536 bytes")
    }))
})

describe("the program of a module", () => {
  it.effect("is the one of the manifest, byte for byte", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* reason(tomlOf("a", BINARY)), "loaded")
      assert.include(yield* reason(tomlOf("a", BINARY.replace(/size = \d+/, "size = 1"))), "and the manifest says 1")
      assert.include(yield* reason(tomlOf("a", BINARY.replace(HASH, "00".repeat(32)))), `has the hash ${HASH}`)
    }))

  it.effect("lies beside the manifest also where there is a file in the place of target or of release", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({ a: tomlOf("a"), b: tomlOf("b"), c: tomlOf("c") })
      writeFileSync(join(directory, "a", "target"), "")
      mkdirSync(join(directory, "b", "target"))
      writeFileSync(join(directory, "b", "target", "release"), "")
      mkdirSync(join(directory, "c", "target", "release"), { recursive: true })
      symlinkSync("run", join(directory, "c", "target", "release", "run"))
      const discovery = yield* discovered(directory)
      assert.deepStrictEqual(loadable(discovery), ["a", "b"])
      assert.include(reasons(discovery)["c"], "is a symbolic link")
    }))

  it.effect("has the size and the hash of what was read", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({ a: tomlOf("a") })
      // More than is read at once.
      const content = Buffer.alloc(1024 * 1024 + 7, 3)
      writeFileSync(join(directory, "a", "run"), content)
      const [{ program } = assert.fail()] = (yield* discovered(directory)).modules
      assert.strictEqual(program.size, content.length)
      assert.strictEqual(Buffer.from(program.hash).toString("hex"), createHash("sha256").update(content).digest("hex"))
    }))

  it.effect("is an executable regular file, and no symbolic link", () =>
    Effect.gen(function*() {
      const directory = modulesDirectory({ a: tomlOf("a"), b: tomlOf("b"), c: tomlOf("c"), d: tomlOf("d") })
      rmSync(join(directory, "a", "run"))
      rmSync(join(directory, "b", "run"))
      symlinkSync("/bin/sh", join(directory, "b", "run"))
      chmodSync(join(directory, "c", "run"), 0o644)
      rmSync(join(directory, "d", "run"))
      mkdirSync(join(directory, "d", "run"))
      const { a, b, c, d } = reasons(yield* discovered(directory))
      assert.include(a, "there is no program run in")
      assert.include(b, "is a symbolic link")
      assert.include(c, "is not executable")
      assert.include(d, "is no regular file")
    }))
})

describe("signatures of maintainers", () => {
  it.effect("are counted up to the threshold", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* reason(signed(SECRETS.slice(0, 2), "2-of-3")), "loaded")
      assert.strictEqual(
        yield* reason(signed(SECRETS.slice(0, 1), "2-of-3")),
        "has 1 of the 2 valid signatures that it needs"
      )
    }))

  it.effect("are void once a field that they are about is another", () =>
    Effect.gen(function*() {
      const toml = signed(SECRETS.slice(0, 1), "1-of-1")
      for (
        const changed of [
          toml.replace("read_chain_state", "network_access"),
          toml.replace("version = \"0.1.0\"", "version = \"0.1.1\""),
          toml.replace("1-of-1", "1-of-2"),
          toml.replace("Ann 1", "Bob 1")
        ]
      ) assert.match(yield* reason(changed), /has a signature of (Ann|Bob) 1 that is not valid/)
    }))

  it.effect("of another key, or of nothing, are void", () =>
    Effect.gen(function*() {
      const toml = signed(SECRETS.slice(0, 1), "1-of-1")
      const ours = /signature = "([0-9a-f]+)"/.exec(toml)![1]!
      assert.include(yield* reason(toml.replace(keyOf(SECRETS[0]!), keyOf(SECRETS[1]!))), "that is not valid")
      assert.include(yield* reason(toml.replace(ours, "00".repeat(64))), "that is not valid")
      assert.include(yield* reason(toml.replace(keyOf(SECRETS[0]!), `02${"ff".repeat(32)}`)), "that is not valid")
      // The same signature with the other S.
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
      const high = (order - BigInt(`0x${ours.slice(64)}`)).toString(16).padStart(64, "0")
      assert.include(yield* reason(toml.replace(ours, ours.slice(0, 64) + high)), "that is not valid")
    }))

  it.effect("count only by trusted keys where the operator names some", () =>
    Effect.gen(function*() {
      const toml = signed(SECRETS.slice(0, 2), "2-of-2")
      assert.strictEqual(yield* reason(toml, trusting(...SECRETS)), "loaded")
      assert.strictEqual(
        yield* reason(toml, trusting(SECRETS[0]!, SECRETS[2]!)),
        "has 1 of the 2 valid signatures by trusted keys that it needs"
      )
    }))

  it.effect("must be there where the operator requires them", () =>
    Effect.gen(function*() {
      const signatures = { required: true, trustedKeys: new Set<string>() }
      assert.strictEqual(
        yield* reason(tomlOf("a"), { signatures }),
        "is not signed, and only signed modules are loaded"
      )
      assert.strictEqual(yield* reason(signed(SECRETS.slice(0, 1), "1-of-1"), { signatures }), "loaded")
    }))
})
