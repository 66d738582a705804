import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { LAUNCHER, run } from "../src/tools/run.ts"
import { ToolError } from "../src/tools/tool-error.ts"

let root = ""
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "lockstep-sdk-run-"))
  vi.stubEnv("XDG_RUNTIME_DIR", root)
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  rmSync(root, { recursive: true, force: true })
})

const at = (...path: ReadonlyArray<string>): string => join(root, ...path)

const MANIFEST = `name = "watcher"
version = "0.1.0"
description = "Counts blocks."
entry_point = "run-it"
capabilities = []
`

/** A module with a program that may not be executed yet. */
const aModule = (more = ""): string => {
  mkdirSync(at("here"))
  writeFileSync(at("here", "module.toml"), MANIFEST + more)
  writeFileSync(at("here", "run-it"), "#!/bin/sh\n# own\n", { mode: 0o644 })
  writeFileSync(at("here", "notes"), "")
  return at("here")
}

/** A program in the node's place: it keeps its arguments, makes a socket's directory with a file in it, and ends. */
const aLauncher = (end: string): string => {
  const lines = [
    "#!/bin/sh",
    `printf '%s\\n' "$@" > ${at("arguments")}`,
    `mkdir -p ${at(`lockstep-sdk-${process.pid}`, "one")}`,
    end
  ]
  writeFileSync(at("launcher"), `${lines.join("\n")}\n`, { mode: 0o755 })
  return at("launcher")
}

const printed = (): ReadonlyArray<string> => {
  const lines: Array<string> = []
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  return lines
}

const argumentsOf = (): ReadonlyArray<string> => readFileSync(at("arguments"), "utf8").trimEnd().split("\n")

describe("a module that is tried", () => {
  it("runs in a node on regtest with a configuration of its own, whose exit code is the answer", async () => {
    const directory = aModule()
    const lines = printed()
    assert.strictEqual(await run(directory, { rpcAddress: undefined, launcher: aLauncher("exit 7") }), 7)
    const config = join(directory, ".lockstep", "node.toml")
    assert.deepStrictEqual(argumentsOf(), ["start", "--config", config])
    assert.deepStrictEqual(lines, [`ask this node with: pnpm lockstep --config ${config} rpc listmodules\n`])
    assert.strictEqual(statSync(config).mode & 0o777, 0o600)
    assert.deepStrictEqual(readFileSync(config, "utf8").split("\n"), [
      "transport_preference = \"tcponly\"",
      "protocol_version = \"Regtest\"",
      "listen_addr = \"127.0.0.1:0\"",
      "",
      "[storage]",
      `data_dir = "${join(directory, ".lockstep", "data")}"`,
      "",
      "[modules]",
      "enabled = true",
      `modules_dir = "${join(directory, ".lockstep", "modules")}"`,
      `socket_dir = "${at(`lockstep-sdk-${process.pid}`)}"`,
      ""
    ])
  })

  it("has the node serve RPC where it is asked to, and the directory of sockets below /tmp without another", async () => {
    vi.stubEnv("XDG_RUNTIME_DIR", undefined)
    const directory = aModule()
    const lines = printed()
    const rpcAddress = "127.0.0.1:1234"
    assert.strictEqual(await run(directory, { rpcAddress, launcher: aLauncher("exit 0") }), 0)
    const config = join(directory, ".lockstep", "node.toml")
    assert.deepStrictEqual(argumentsOf(), ["start", "--config", config, "--rpc-addr", rpcAddress])
    assert.include(lines[0], `lockstep --config ${config} --rpc-addr ${rpcAddress} rpc listmodules`)
    assert.include(readFileSync(config, "utf8"), `socket_dir = "/tmp/lockstep-sdk-${process.pid}"\n`)
  })

  it("shows the node its manifest, settings and program alone, whatever an earlier try left", async () => {
    const directory = aModule()
    const installed = join(directory, ".lockstep", "modules", "watcher")
    mkdirSync(join(installed, "below"), { recursive: true })
    writeFileSync(join(installed, "config.toml"), "old = 1\n")
    const launcher = aLauncher("exit 0")
    printed()
    await run(directory, { rpcAddress: undefined, launcher })
    assert.deepStrictEqual(readdirSync(installed).toSorted(), ["module.toml", "run-it"])
    assert.strictEqual(readFileSync(join(installed, "module.toml"), "utf8"), MANIFEST)
    assert.strictEqual(readFileSync(join(installed, "run-it"), "utf8"), "#!/bin/sh\n# own\n")
    assert.strictEqual(statSync(join(installed, "run-it")).mode & 0o777, 0o755)
    writeFileSync(join(directory, "config.toml"), "every = 5\n")
    await run(directory, { rpcAddress: undefined, launcher })
    assert.deepStrictEqual(readdirSync(installed).toSorted(), ["config.toml", "module.toml", "run-it"])
    assert.strictEqual(readFileSync(join(installed, "config.toml"), "utf8"), "every = 5\n")
  })

  it("is built before where it has sources", async () => {
    const directory = aModule()
    mkdirSync(join(directory, "src"))
    writeFileSync(join(directory, "src", "main.ts"), "console.log(\"built\" as string)\n")
    printed()
    await run(directory, { rpcAddress: undefined, launcher: aLauncher("exit 0") })
    const program = readFileSync(join(directory, ".lockstep", "modules", "watcher", "run-it"), "utf8")
    assert.match(program, /^#!\/usr\/bin\/env node\n/)
    assert.include(program, "built")
  })

  it("leaves no directory of sockets behind, and none need be there", async () => {
    const directory = aModule()
    printed()
    await run(directory, { rpcAddress: undefined, launcher: aLauncher(`test -d ${at(`lockstep-sdk-${process.pid}`)}`) })
    assert.isFalse(existsSync(at(`lockstep-sdk-${process.pid}`)))
    const launcher = aLauncher(`rm -r ${at(`lockstep-sdk-${process.pid}`)}; exit 3`)
    assert.strictEqual(await run(directory, { rpcAddress: undefined, launcher }), 3)
  })

  it.each(["SIGINT", "SIGTERM"] as const)("ends with its node, which gets %s too, and answers 1", async (signal) => {
    const directory = aModule()
    printed()
    const before = process.listeners(signal)
    const others = process.listeners(signal === "SIGINT" ? "SIGTERM" : "SIGINT")
    const ran = run(directory, { rpcAddress: undefined, launcher: aLauncher("exec sleep 60") })
    while (!existsSync(at(`lockstep-sdk-${process.pid}`, "one"))) await new Promise((resolve) => setTimeout(resolve, 5))
    const added = process.listeners(signal).filter((each) => !before.includes(each))
    assert.lengthOf(added, 1)
    added[0]!(signal)
    assert.strictEqual(await ran, 1)
    assert.deepStrictEqual(process.listeners(signal), before)
    assert.deepStrictEqual(process.listeners(signal === "SIGINT" ? "SIGTERM" : "SIGINT"), others)
    assert.isFalse(existsSync(at(`lockstep-sdk-${process.pid}`)))
  })

  it("is not started without its program, its signatures or a node", async () => {
    const directory = aModule(
      `[binary]\nhash = "sha256:${
        "00".repeat(32)
      }"\nsize = 7\n[signatures]\nthreshold = "1-of-1"\n[[signatures.maintainers]]\nname = "ann"\nkey = "02${
        "11".repeat(32)
      }"\n`
    )
    const lines = printed()
    const launcher = aLauncher("exit 0")
    const refused = (options = launcher) =>
      run(directory, { rpcAddress: undefined, launcher: options }).then(() => undefined, (error: unknown) => error)
    const unsigned = await refused()
    assert.instanceOf(unsigned, ToolError)
    assert.match((unsigned as Error).message, /signature/)
    writeFileSync(join(directory, "module.toml"), MANIFEST)
    rmSync(join(directory, "run-it"))
    assert.match(String(await refused()), /there is no program run-it in .*: build it first/)
    assert.deepStrictEqual([lines, existsSync(at("arguments"))], [[], false])
    writeFileSync(join(directory, "run-it"), "")
    mkdirSync(at(`lockstep-sdk-${process.pid}`))
    assert.strictEqual((await refused(at("none")) as NodeJS.ErrnoException).code, "ENOENT")
    assert.isFalse(existsSync(at(`lockstep-sdk-${process.pid}`)))
  })

  it("runs in the node beside this SDK unless another is named", () => {
    assert.match(LAUNCHER, /\/node\/bin\/lockstep$/)
    assert.strictEqual(statSync(LAUNCHER).mode & 0o111, 0o111)
  })
})
