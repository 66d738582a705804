import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { runTool, USAGE } from "../src/tools/commands.ts"
import { generateKey, hexOf, isValidSignature, publicKeyOf, readKey, signatureOf } from "../src/tools/keys.ts"
import { readSignatures, signatureText } from "../src/tools/signature-file.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lockstep-sdk-tools-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

const MANIFEST = `name = "watcher"
version = "0.1.0"
description = "Counts blocks."
entry_point = "run"
capabilities = []
`

/** A module with a program; `more`: what else its manifest says. */
const aModule = (name = "watcher", more = ""): string => {
  const directory = at(name)
  mkdirSync(directory)
  writeFileSync(join(directory, "module.toml"), MANIFEST.replace("watcher", name) + more)
  writeFileSync(join(directory, "run"), "#!/bin/sh\n", { mode: 0o755 })
  return directory
}

const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
  return stdout.trim()
}

/** What a command that fails says. */
const refusal = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.deepStrictEqual([exitCode, stdout], [1, ""])
  return stderr.trim()
}

describe("the tools of modules", () => {
  it.each(
    [
      [[], 2, "stdout"],
      [["help"], 0, "stdout"],
      [["--help"], 0, "stdout"],
      [["burn"], 2, "stderr"],
      [["toString"], 2, "stderr"]
    ] as const
  )("answer %j with how they are used and code %d", async (args, code, where) => {
    const ran = await runTool(args)
    assert.strictEqual(ran.exitCode, code)
    assert.include(ran[where], USAGE)
  })

  it("refuse too few names and too many", async () => {
    for (const args of [["keygen"], ["keygen", at("a"), at("b")]]) {
      assert.include(await refusal(...args), "pnpm sdk keygen")
    }
    assert.isFalse(existsSync(at("a")))
  })
})

describe("a key of a maintainer", () => {
  it("is read from the file that keygen wrote for its owner alone, and signs", () => {
    const made = generateKey(at("key"))
    assert.strictEqual(statSync(at("key")).mode & 0o777, 0o600)
    assert.match(readFileSync(at("key"), "utf8"), /^[0-9a-f]{64}\n$/)
    const key = readKey(at("key"))
    assert.deepStrictEqual([hexOf(key.secret), hexOf(key.publicKey)], [hexOf(made.secret), hexOf(made.publicKey)])
    const digest = new Uint8Array(32).fill(5)
    const signature = signatureOf(key, digest)
    assert.lengthOf(signature, 64)
    assert.isTrue(isValidSignature({ key: key.publicKey, signature }, digest))
    assert.isFalse(isValidSignature({ key: key.publicKey, signature }, new Uint8Array(32).fill(6)))
    assert.isFalse(isValidSignature({ key: key.publicKey, signature: signature.subarray(1) }, digest))
    assert.isFalse(isValidSignature({ key: new Uint8Array(33), signature }, digest))
    assert.deepStrictEqual(publicKeyOf(hexOf(key.publicKey)), key.publicKey)
  })

  it.each([
    ["hello", "has no key of 64 hexadecimal digits"],
    ["0".repeat(63), "has no key of 64 hexadecimal digits"],
    ["0".repeat(65), "has no key of 64 hexadecimal digits"],
    ["0".repeat(64), "has no key of secp256k1"],
    ["f".repeat(64), "has no key of secp256k1"]
  ])("is none in a file with %s", (text, message) => {
    writeFileSync(at("key"), text)
    assert.throws(() => readKey(at("key")), message)
  })

  it.each(["", "04" + "1".repeat(64), "02" + "1".repeat(63), "02" + "1".repeat(65), "02" + "g".repeat(64)])(
    "is not public as %j",
    (text) => assert.throws(() => publicKeyOf(text), "is no compressed public key of 66 hexadecimal digits")
  )

  it("is told apart from a file that cannot be read or written", async () => {
    assert.throws(() => readKey(at("none")), `${at("none")} cannot be read: ENOENT`)
    assert.include(await refusal("keygen", at("none", "key")), "ENOENT")
    writeFileSync(at("key"), "kept")
    assert.include(await refusal("keygen", at("key")), "choose another file, so that no key is lost")
    assert.strictEqual(readFileSync(at("key"), "utf8"), "kept")
  })
})

describe("a file of signatures", () => {
  const ONE = { key: new Uint8Array(33).fill(2), signature: new Uint8Array(64).fill(3) }

  it("may be several ones behind another", () => {
    const other = { ...ONE, key: new Uint8Array(33).fill(4) }
    writeFileSync(at("sig"), signatureText([ONE]) + signatureText([other, ONE]))
    assert.deepStrictEqual(readSignatures(at("sig")), [ONE, other, ONE])
  })

  it.each([
    ["", "has no signatures"],
    ["a = 1", "has no signatures"],
    ["signatures = 5", "has no signatures"],
    [signatureText([ONE]).replace("key", "kay"), "has no signatures"],
    [signatureText([ONE]).replace("02", ""), "has no signatures"],
    [signatureText([ONE]).replace("0303", "03"), "has no signatures"],
    [signatureText([ONE, ONE]).replace("0303", "zz03"), "has no signatures"],
    ["= 1", "is not valid TOML"]
  ])("is none with %j", (text, message) => {
    writeFileSync(at("sig"), text)
    assert.throws(() => readSignatures(at("sig")), message)
  })

  it("is said to be missing where it is", () => {
    assert.throws(() => readSignatures(at("sig")), "cannot be read: ENOENT")
  })
})

describe("a manifest that is prepared", () => {
  it("says what the program is, keeps where it is downloaded, and can be prepared again", async () => {
    const directory = aModule(
      "watcher",
      `[binary]\nhash = "sha256:${"00".repeat(32)}"\nsize = 7\ndownload_url = "https://a.example/run"\n`
    )
    const { publicKey } = generateKey(at("ann"))
    const maintainer = `ann=${hexOf(publicKey)}`
    const path = join(directory, "module.toml")
    await done("prepare", directory, "--threshold", "1-of-1", "--maintainer", maintainer)
    const first = readFileSync(path, "utf8")
    assert.include(first, "size = 10\n")
    assert.include(first, "download_url = \"https://a.example/run\"")
    assert.strictEqual(first.match(/\[binary\]/g)!.length, 1)
    await done("prepare", directory, "--threshold", "1-of-1", "--maintainer", maintainer)
    assert.strictEqual(readFileSync(path, "utf8"), first)
    await done("sign", directory, "--key", at("ann"), "--out", at("ann.sig"))
    assert.include(await done("aggregate-signatures", directory, at("ann.sig")), "1 valid signatures, 1 needed")
    const signed = readFileSync(path, "utf8")
    // A signature takes the place of the old one of its key.
    await done("aggregate-signatures", directory, at("ann.sig"))
    assert.strictEqual(readFileSync(path, "utf8"), signed)
  })

  it("stays as it was where it would be wrong, which is said", async () => {
    const directory = aModule()
    const path = join(directory, "module.toml")
    const before = readFileSync(path, "utf8")
    const key = hexOf(generateKey(at("ann")).publicKey)
    for (
      const [threshold, maintainers, message] of [
        ["3-of-2", [`ann=${key}`], "threshold"],
        ["many", [`ann=${key}`], "threshold"],
        ["1-of-2", [`ann=${key}`, `bob=${key}`], "is the key of another maintainer as well"],
        ["1-of-1", ["ann"], "write NAME=KEY"],
        ["1-of-1", [`=${key}`], "write NAME=KEY"],
        ["1-of-1", [`ann=${key.slice(2)}`], "is no compressed public key"]
      ] as const
    ) {
      const named = maintainers.flatMap((each) => ["--maintainer", each])
      assert.include(await refusal("prepare", directory, "--threshold", threshold, ...named), message)
      assert.strictEqual(readFileSync(path, "utf8"), before, message)
    }
  })

  it("is not verified where its program may not run", async () => {
    const directory = aModule()
    assert.strictEqual(await done("verify", directory), "watcher 0.1.0: not signed")
    chmodSync(join(directory, "run"), 0o644)
    assert.include(await refusal("verify", directory), "is not executable")
  })

  it("is about the program that was built, before one that lies beside it", async () => {
    const directory = aModule()
    mkdirSync(join(directory, "target", "release"), { recursive: true })
    writeFileSync(join(directory, "target", "release", "run"), "#!/bin/sh\n# built\n", { mode: 0o755 })
    const key = hexOf(generateKey(at("ann")).publicKey)
    await done("prepare", directory, "--threshold", "1-of-1", "--maintainer", `ann=${key}`)
    assert.include(readFileSync(join(directory, "module.toml"), "utf8"), "size = 18\n")
  })
})

describe("a composition of modules", () => {
  const composition = (text: string): string => {
    writeFileSync(at("node.toml"), text)
    return at("node.toml")
  }
  const BOTH = `node = "0.1.0"\n[modules]\none = { path = "one" }\ntwo = { path = "two", version = "0.1.*" }\n`

  it("takes the manifest, the program and the settings of each, and the requirements of versions", async () => {
    for (const name of ["one", "two"]) aModule(name)
    writeFileSync(at("one", "config.toml"), "a = 1\n")
    writeFileSync(at("one", "notes.txt"), "")
    const said = await done("compose", composition(BOTH), "--out", at("out"))
    assert.include(said, "one 0.1.0, two 0.1.0")
    assert.strictEqual(readFileSync(at("out", "one", "config.toml"), "utf8"), "a = 1\n")
    assert.isFalse(existsSync(at("out", "one", "notes.txt")))
    assert.isFalse(existsSync(at("out", "two", "config.toml")))
    assert.strictEqual(statSync(at("out", "two", "run")).mode & 0o111, 0o111)
    assert.strictEqual(
      readFileSync(at("out", "modules.toml"), "utf8"),
      `[modules]\nenabled = true\nmodules_dir = ${JSON.stringify(at("out"))}\ntwo = "0.1.*"\n`
    )
  })

  it("does not touch a directory that is there", async () => {
    for (const name of ["one", "two"]) aModule(name)
    mkdirSync(at("out"))
    assert.include(await refusal("compose", composition(BOTH), "--out", at("out")), "choose another directory")
    assert.isFalse(existsSync(at("out", "modules.toml")))
  })

  it("leaves nothing behind where one of its parts cannot be copied", async () => {
    for (const name of ["one", "two"]) aModule(name)
    // A directory is no file of settings.
    mkdirSync(at("two", "config.toml"))
    assert.notStrictEqual(await refusal("compose", composition(BOTH), "--out", at("out")), "")
    assert.isFalse(existsSync(at("out")))
  })

  it.each([
    ["node = 1\n[modules]\none = { path = \"one\" }", "node must be the version of the node"],
    ["node = \"0.1.0\"\nrequire_signatures = 1\n[modules]\none = { path = \"one\" }", "must be true or false"],
    ["node = \"0.1.0\"\n[modules]", "there are no modules"],
    ["node = \"0.1.0\"\n[modules]\none = { path = \"one\", colour = 1 }", "must be a table with path and version"],
    ["node = \"0.1.0\"\n[modules]\none = { path = \"one\", version = \"x\" }", "must be a requirement"],
    ["node = \"0.1.0\"\n[modules]\none = { path = \"two\" }", "is no directory"],
    ["node = \"0.1.0\"\nrequire_signatures = true\n[modules]\none = { path = \"one\" }", "is not signed"],
    ["node =", "is not valid TOML"]
  ])("is refused as %j, and nothing is written", async (text, message) => {
    aModule("one")
    assert.include(await refusal("compose", composition(text), "--out", at("out")), message)
    assert.isFalse(existsSync(at("out")))
  })
})
