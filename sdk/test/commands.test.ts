import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { COMMANDS, runTool, USAGE } from "../src/tools/commands.ts"
import { generateKey, hexOf } from "../src/tools/keys.ts"
import { readSignatures } from "../src/tools/signature-file.ts"

let root = ""
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "lockstep-sdk-commands-"))))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

/** Standard output of a command that succeeds. */
const done = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.deepStrictEqual([exitCode, stderr], [0, ""])
  assert.match(stdout, /\n$/)
  return stdout.trimEnd()
}

/** Standard error of a command that fails. */
const refusal = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { exitCode, stderr, stdout } = await runTool(args)
  assert.deepStrictEqual([exitCode, stdout], [1, ""])
  return stderr.trimEnd()
}

/** A module that Ann, whose key is in `ann`, may sign; answers its directory. */
const prepared = async (): Promise<string> => {
  mkdirSync(at("watcher"))
  const lines = ["name = \"watcher\"", "version = \"0.1.0\"", "description = \"\"", "entry_point = \"run\""]
  writeFileSync(at("watcher", "module.toml"), `${lines.join("\n")}\ncapabilities = []\n`)
  writeFileSync(at("watcher", "run"), "#!/bin/sh\n", { mode: 0o755 })
  const key = hexOf(generateKey(at("ann")).publicKey)
  const said = await done("prepare", at("watcher"), "--threshold", "1-of-1", "--maintainer", `ann=${key}`)
  assert.strictEqual(said, `${at("watcher", "module.toml")}: ready to be signed by 1 maintainers, 1-of-1`)
  return at("watcher")
}

describe("the commands of the tools", () => {
  it("are all in the usage, with what they are for", () => {
    assert.match(USAGE, /^pnpm sdk COMMAND\n/)
    for (const [name, { about, usage }] of Object.entries(COMMANDS)) {
      assert.strictEqual(usage.split(" ")[0], name)
      assert.include(USAGE, `  ${usage}\n      ${about}`)
    }
  })

  it.each(Object.keys(COMMANDS))(
    "%s says how it is used when it is asked for help, and does nothing else",
    async (name) => {
      const { about, usage } = COMMANDS[name]!
      for (const help of ["--help", "-h", "help"]) {
        assert.strictEqual(await done(name, at("x"), help), `pnpm sdk ${usage}\n    ${about}`)
      }
      assert.isFalse(existsSync(at("x")))
    }
  )

  it.each(Object.entries(COMMANDS))("%s takes as many names as its usage has", async (name, { usage }) => {
    const words = [...usage.replace(/\[.*?\]/g, "").replace(/--[a-z]+ \S+(?: …)?/g, "").matchAll(/[A-Z]+|…/g)]
      .map(([word]) => word)
    const names = words.filter((word) => word !== "…").length
    const wrong = words.includes("…") ? [0, names - 1] : [0, names - 1, names + 1]
    for (const count of wrong) {
      assert.strictEqual(await refusal(name, ...Array(count).fill(at("x"))), `pnpm sdk ${usage}`, String(count))
    }
    assert.isFalse(existsSync(at("x")))
  })

  it.each(["aggregate-signatures", "verify-binary"])("%s takes 64 names at most", async (name) => {
    assert.strictEqual(await refusal(name, ...Array(65).fill(at("x"))), `pnpm sdk ${COMMANDS[name]!.usage}`)
    assert.notInclude(await refusal(name, ...Array(64).fill(at("x"))), "pnpm sdk")
  })

  it.each<readonly [args: ReadonlyArray<string>, message: string]>([
    [["keygen", "x", "--key", "y"], "unknown option \"key\"\npnpm sdk keygen FILE"],
    [["sign", "x", "--kay", "y"], "unknown option \"kay\"; did you mean key?\npnpm sdk sign DIRECTORY"],
    [["sign", "x", "-k"], "unknown option \"k\"; did you mean key?\npnpm sdk sign DIRECTORY"],
    [["sign", "x", "--key"], "Option '--key <value>' argument missing\npnpm sdk sign DIRECTORY"]
  ])("refuse %j with the nearest option, or what is missing, and the usage", async (args, message) => {
    assert.include(await refusal(...args), message)
  })

  it.each<readonly [args: ReadonlyArray<string>, message: string]>([
    [["prepare", "x"], "--threshold is missing"],
    [["sign", "x"], "--key is missing"],
    [["sign-binary", "x"], "--key is missing"],
    [["compose", "x"], "--out is missing"]
  ])("refuse %j without the option that they need", async (args, message) => {
    assert.strictEqual(await refusal(...args), message)
  })

  it("that meet a defect hand it on, and do not take it for a misuse", async () => {
    const defect = new Error("a defect")
    const command = COMMANDS["keygen"] as { run: unknown }
    const { run } = command
    command.run = () => {
      throw defect
    }
    try {
      assert.strictEqual(await runTool(["keygen", "x"]).catch((error: unknown) => error), defect)
    } finally {
      command.run = run
    }
  })

  it("that answer a number have it as their exit code, and print nothing", async () => {
    const command = COMMANDS["run"] as { run: unknown }
    const { run } = command
    const given: Array<unknown> = []
    command.run = async (...args: ReadonlyArray<unknown>) => {
      given.push(args)
      return 7
    }
    try {
      assert.deepStrictEqual(await runTool(["run", "x"]), { stdout: "", stderr: "", exitCode: 7 })
    } finally {
      command.run = run
    }
    assert.lengthOf(given, 1)
  })
})

describe("signatures of the tools", () => {
  it("of a module stand beside it under the name of the key, unless a place is named", async () => {
    const directory = await prepared()
    const file = join(directory, "ann.sig")
    assert.strictEqual(await done("sign", directory, "--key", at("ann")), `${file}: the signature of ann`)
    assert.strictEqual(
      await done("sign", directory, "--key", at("ann"), "--out", at("s")),
      `${at("s")}: the signature of ann`
    )
    assert.deepStrictEqual(readSignatures(at("s")), readSignatures(file))
    const answer = "watcher 0.1.0: 1 valid signatures, 1 needed"
    assert.strictEqual(await done("aggregate-signatures", directory, file), answer)
    assert.strictEqual(await done("verify", directory), answer)
    const other = hexOf(generateKey(at("bob")).publicKey)
    assert.include(await refusal("verify", directory, "--trusted-key", other), "the module watcher has 0 of the 1")
    assert.include(await refusal("verify", directory, "--trusted-key", "02"), "is no compressed public key")
  })

  it("of a file stand beside it, and are judged by a threshold of one unless another is named", async () => {
    const { publicKey } = generateKey(at("ann"))
    writeFileSync(at("SUMS"), "sums\n")
    const key = hexOf(publicKey)
    assert.strictEqual(
      await done("sign-binary", at("SUMS"), "--key", at("ann")),
      `${at("SUMS.sig")}: the signature of ${key}`
    )
    const judged = ["verify-binary", at("SUMS"), at("SUMS.sig")]
    assert.strictEqual(await done(...judged), `${at("SUMS")}: 1 valid signatures`)
    assert.strictEqual(await done(...judged, "--trusted-key", key), `${at("SUMS")}: 1 valid signatures by trusted keys`)
    const other = hexOf(generateKey(at("bob")).publicKey)
    assert.strictEqual(
      await refusal(...judged, "--trusted-key", other),
      `${at("SUMS")} has 0 of the 1 valid signatures by trusted keys that it needs`
    )
    for (const threshold of ["0", "-1", "100", "1.5", "two", ""]) {
      assert.strictEqual(
        await refusal(...judged, `--threshold=${threshold}`),
        `--threshold ${threshold}: write a number of signatures`
      )
    }
    assert.include(await refusal(...judged, "--threshold", "99"), "has 1 of the 99 valid signatures that it needs")
  })

  it("of what is a directory or cannot be read are not made", async () => {
    generateKey(at("ann"))
    assert.strictEqual(
      await refusal("sign-binary", root, "--key", at("ann")),
      `${root} is a directory: sign signs modules`
    )
    assert.strictEqual(
      await refusal("sign-binary", at("none"), "--key", at("ann")),
      `${at("none")} cannot be read: ENOENT`
    )
    assert.isFalse(existsSync(at("none.sig")))
    writeFileSync(at("file"), "")
    assert.include(await refusal("verify", at("file")), `${at("file")} is no directory: name the directory of a module`)
  })

  it("are not written into a manifest whose program has another hash or size", async () => {
    const directory = await prepared()
    await done("sign", directory, "--key", at("ann"))
    await done("aggregate-signatures", directory, join(directory, "ann.sig"))
    const program = join(directory, "run")
    writeFileSync(program, "#!/bin/zh\n")
    assert.strictEqual(await refusal("verify", directory), `${program} has another hash than the manifest says`)
    writeFileSync(program, "#!/bin/sh\n\n")
    assert.strictEqual(await refusal("verify", directory), `${program} has 11 bytes, and the manifest says 10`)
  })
})

describe("a new module", () => {
  it("is made in a directory that is missing or empty, with this SDK as its one package", async () => {
    mkdirSync(at("empty"))
    for (const name of ["empty", "new-one", `a${"b".repeat(63)}`]) {
      assert.strictEqual(await done("create", at(name)), `${at(name)}: pnpm sdk run ${at(name)}`)
      assert.include(readFileSync(at(name, "module.toml"), "utf8"), `name = "${name}"`)
      assert.isTrue(statSync(join(readlinkSync(at(name, "node_modules/@lockstep/sdk")), "src/index.ts")).isFile())
    }
  })

  it("takes no place of something else, and no name that the node has", async () => {
    mkdirSync(at("full"))
    writeFileSync(at("full", "notes"), "")
    assert.strictEqual(await refusal("create", at("full")), `${at("full")} is not empty`)
    assert.isFalse(existsSync(at("full", "module.toml")))
    for (const name of ["node", "Lockstep", "1st", "a b", `a${"b".repeat(64)}`]) {
      assert.include(await refusal("create", at(name)), `${name} is no name of a module`)
      assert.isFalse(existsSync(at(name)))
    }
  })
})
