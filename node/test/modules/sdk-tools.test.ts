import { assert, describe, it } from "@effect/vitest"
import { semanticVersionOf } from "@lockstep/protocol/module-manifest/index.ts"
import { runTool } from "@lockstep/sdk/tools"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { discoverModules } from "../../src/modules/registry/discover.ts"

const root = mkdtempSync(join(tmpdir(), "lockstep-sdk-tools-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

/** What a command prints; it succeeds. */
const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.strictEqual(exitCode, 0, stderr)
  return stdout.trim()
}

/** What a command complains of; it fails. */
const refusal = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.notStrictEqual(exitCode, 0, stdout)
  return stderr.trim()
}

const version = semanticVersionOf("0.1.0")!

/** Whether the node would load what the directory has, or its reasons. */
const nodeSays = (directory: string, trustedKeys: ReadonlyArray<string> = []) =>
  Effect.map(
    discoverModules(directory, {
      versions: { consensus: version, protocol: version, node: version },
      pins: new Map(),
      signatures: { required: true, trustedKeys: new Set(trustedKeys) }
    }),
    ({ modules, refused }) => modules.length > 0 ? "loads it" : refused.flatMap(({ reasons }) => reasons).join("; ")
  )

const keys: Record<"ann" | "bob" | "eve", string> = { ann: "", bob: "", eve: "" }

/** A module that Ann and Bob have signed, and its parent directory. */
const signedModule = (): { readonly parent: string; readonly module: string } => {
  const parent = mkdtempSync(at("copy-"))
  cpSync(at("signed"), join(parent, "watcher"), { recursive: true })
  return { parent, module: join(parent, "watcher") }
}

beforeAll(async () => {
  for (const name of ["ann", "bob", "eve"] as const) keys[name] = await done("keygen", at(name))
  await done("create", at("watcher"))
  await done("build", at("watcher"))
  const maintainers = ["ann", "bob"].flatMap((name) => ["--maintainer", `${name}=${keys[name as "ann"]}`])
  await done("prepare", at("watcher"), "--threshold", "2-of-3", ...maintainers)
  for (const name of ["ann", "bob"]) await done("sign", at("watcher"), "--key", at(name), "--out", at(`${name}.sig`))
  await done("aggregate-signatures", at("watcher"), at("ann.sig"), at("bob.sig"))
  mkdirSync(at("signed"))
  copyFileSync(at("watcher", "module.toml"), at("signed", "module.toml"))
  copyFileSync(at("watcher", "target", "release", "watcher"), at("signed", "watcher"))
})

describe("the tools of maintainers", () => {
  it("make keys that only their owner may read, and replace none", async () => {
    assert.strictEqual(statSync(at("ann")).mode & 0o777, 0o600)
    assert.match(keys.ann, /^0[23][0-9a-f]{64}$/)
    assert.include(await refusal("keygen", at("ann")), "choose another file, so that no key is lost")
  })

  it.effect("make signatures that the node accepts, with the keys that the operator trusts", () =>
    Effect.gen(function*() {
      const { module, parent } = signedModule()
      assert.strictEqual(
        yield* Effect.promise(() => done("verify", module, "--trusted-key", keys.ann, "--trusted-key", keys.bob)),
        "watcher 0.1.0: 2 valid signatures, 2 needed"
      )
      assert.strictEqual(yield* nodeSays(parent, [keys.ann, keys.bob]), "loads it")
      const few = "has 1 of the 2 valid signatures by trusted keys that it needs"
      assert.include(yield* Effect.promise(() => refusal("verify", module, "--trusted-key", keys.ann)), few)
      assert.strictEqual(yield* nodeSays(parent, [keys.ann]), few)
    }))

  const change = (from: RegExp, to: string) => (module: string): void => {
    const path = join(module, "module.toml")
    const text = readFileSync(path, "utf8")
    assert.match(text, from)
    writeFileSync(path, text.replace(from, to))
  }

  it.effect.each<readonly [string, (module: string) => void, RegExp]>([
    ["another capability", change(/"read_chain_state", /, ""), /has a signature of ann that is not valid/],
    ["another threshold", change(/2-of-3/, "1-of-3"), /has a signature of ann that is not valid/],
    ["another hash", change(/sha256:[0-9a-f]{4}/, "sha256:0000"), /has a signature of ann that is not valid/],
    [
      "a byte more in the program",
      (module) => appendFileSync(join(module, "watcher"), "\n"),
      /bytes, and the manifest says/
    ],
    [
      "a signature of another key",
      change(/signature = "[0-9a-f]{64}/, `signature = "${"11".repeat(32)}`),
      /of ann that is not valid/
    ],
    [
      "a short signature",
      change(/signature = "[0-9a-f]{2}/, "signature = \""),
      /must be a signature of 128 hexadecimal digits/
    ],
    ["no signature", change(/signature = .*\n/, ""), /signatures\.maintainers\[0\]\.signature is missing/],
    [
      "a key twice",
      (module) => change(new RegExp(keys.bob), keys.ann)(module),
      /is the key of another maintainer as well/
    ],
    ["too few signatures", change(/2-of-3/, "3-of-3"), /of ann that is not valid/],
    ["no table of the program", change(/\[binary\]\n.*\n.*\n/, ""), /binary is missing, and without its hash/]
  ])(
    "refuse a manifest with %s, in the same words as the node, which loads nothing",
    ([, act, message]) =>
      Effect.gen(function*() {
        const { module, parent } = signedModule()
        act(module)
        assert.match(yield* Effect.promise(() => refusal("verify", module)), message)
        assert.match(yield* nodeSays(parent), message)
      })
  )

  it("sign what they are maintainers of, and what is the program of the manifest", async () => {
    assert.include(await refusal("sign", at("watcher"), "--key", at("eve")), "names no maintainer with the key")
    const { module } = signedModule()
    appendFileSync(join(module, "watcher"), "\n")
    assert.include(await refusal("sign", module, "--key", at("ann")), "prepare the manifest again")
    writeFileSync(at("no-key"), "hello")
    assert.include(await refusal("sign", module, "--key", at("no-key")), "has no key of 64 hexadecimal digits")
  })

  it("write no signature into a manifest that is not one of it", async () => {
    const { module } = signedModule()
    change(/Counts blocks/, "Counts all blocks")(module)
    const before = readFileSync(join(module, "module.toml"), "utf8")
    assert.include(
      await refusal("aggregate-signatures", module, at("ann.sig")),
      "the signature of ann is not one of this manifest"
    )
    assert.include(await refusal("aggregate-signatures", module, at("ann")), "is not valid TOML")
    assert.strictEqual(readFileSync(join(module, "module.toml"), "utf8"), before)
  })

  it("sign files by themselves, and count each key once", async () => {
    writeFileSync(at("SHA256SUMS"), "sums\n")
    for (const name of ["ann", "bob"]) {
      await done("sign-binary", at("SHA256SUMS"), "--key", at(name), "--out", at(`${name}.file`))
    }
    const both = ["verify-binary", at("SHA256SUMS"), at("ann.file"), at("bob.file")]
    assert.include(await done(...both, "--threshold", "2"), "2 valid signatures")
    assert.include(
      await refusal(...both, "--threshold", "2", "--trusted-key", keys.ann),
      "has 1 of the 2 valid signatures by trusted keys"
    )
    assert.include(
      await refusal("verify-binary", at("SHA256SUMS"), at("ann.file"), at("ann.file"), "--threshold", "2"),
      "has 1 of the 2"
    )
    writeFileSync(at("SHA256SUMS"), "other sums\n")
    assert.include(await refusal(...both), "is not one of")
    assert.include(await refusal("sign-binary", at("watcher"), "--key", at("ann")), "sign signs modules")
  })
})

describe("the tools of authors", () => {
  it("make a module whose own test passes, and keep a directory that is not empty", async () => {
    const tested = spawnSync(process.execPath, ["--test", at("watcher", "test", "parts.test.ts")], { encoding: "utf8" })
    assert.strictEqual(tested.status, 0, tested.stdout + tested.stderr)
    assert.include(await refusal("create", at("watcher")), "is not empty")
    assert.include(await refusal("create", at("node")), "is no name of a module")
  })

  it("say what is wrong with a program that cannot be built, and with words that are no command", async () => {
    await done("create", at("broken"))
    writeFileSync(at("broken", "src", "main.ts"), "import './nowhere.ts'\n")
    assert.include(await refusal("build", at("broken")), "Could not resolve \"./nowhere.ts\"")
    assert.include(await refusal("verify", at("broken")), "there is no program broken in")
    assert.include(await refusal("burn"), "unknown command \"burn\"")
    assert.include(await refusal("verify", at("broken"), "--colour"), "unknown option \"colour\"")
    assert.include(await refusal("verify", at("nowhere")), "is no directory")
  })

  const composition = (text: string): string => {
    const file = join(mkdtempSync(at("composition-")), "node.toml")
    writeFileSync(file, text)
    return file
  }

  it("compose a node of modules, whose directory the node loads", async () => {
    const out = at("composed")
    const text =
      `node = "0.1.0"\nrequire_signatures = true\n[modules]\nwatcher = { path = "../signed", version = "0.1.*" }\n`
    assert.include(await done("compose", composition(text), "--out", out), "watcher 0.1.0")
    assert.deepStrictEqual(readdirSync(join(out, "watcher")).toSorted(), ["module.toml", "watcher"])
    const written = readFileSync(join(out, "modules.toml"), "utf8")
    assert.include(written, "watcher = \"0.1.*\"")
    assert.include(written, "require_signatures = true", "the node is as strict as the composition")
    assert.strictEqual(await Effect.runPromise(nodeSays(out)), "loads it")
  })

  it.each<readonly [string, string]>([
    [`[modules]\nwatcher = { path = "../signed" }`, "node must be the version of the node"],
    [`node = "0.1.0"`, "there are no modules"],
    [`node = "0.1.0"\ncolour = 1`, "colour is not a field of a composition"],
    [`node = "0.1.0"\n[modules]\nwatcher = "0.1"`, "must be a table with path and version"],
    [
      `node = "0.1.0"\n[modules]\nother = { path = "../signed" }`,
      "is the module watcher, and the composition names it other"
    ],
    [
      `node = "0.1.0"\n[modules]\nwatcher = { path = "../signed", version = "^2.0.0" }`,
      "has version 0.1.0, and [modules].watcher asks for ^2.0.0"
    ],
    [`node = "0.1.0"\n[modules]\nwatcher = { path = "../needy" }`, "missing"]
  ])("refuse the composition %j, and write nothing", async (text, message) => {
    mkdirSync(at("needy"), { recursive: true })
    writeFileSync(
      at("needy", "module.toml"),
      `name = "watcher"\nversion = "0.1.0"\ndescription = ""\nentry_point = "run"\ncapabilities = []\n[dependencies]\nmissing = "*"\n`
    )
    writeFileSync(at("needy", "run"), "#!/bin/sh\n")
    chmodSync(at("needy", "run"), 0o755)
    const out = at("refused")
    assert.include(await refusal("compose", composition(text), "--out", out), message)
    assert.isFalse(existsSync(out))
  })
})
