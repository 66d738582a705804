import { runTool } from "@lockstep/sdk/tools"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { findConfinement } from "../../src/modules/sandbox/confinement.ts"
import { CACHE, freePort, PATH_WITH_NODE } from "../process/node-process.ts"
import { untilHolds } from "./escape/module-node.ts"
import { endsWithTests } from "../process/ends-with-tests.ts"

const repository = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

const PAGE = readFileSync(repository("docs/modules/first-module.md"), "utf8")

/** What stands in the page's blocks of one language, in order. */
const blocks = (language: string): ReadonlyArray<string> =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\\n\`\`\`$`, "gm"))].map(([, text]) => text!)

const commands = (): ReadonlyArray<string> => blocks("sh").flatMap((block) => block.split("\n"))

/** Replaces what a pattern finds, which has to be there. */
const edit = (path: string, from: RegExp, to: string): void => {
  const text = readFileSync(path, "utf8")
  assert.match(text, from)
  writeFileSync(path, text.replace(from, () => to))
}

const confinement = await Effect.runPromise(findConfinement())
const untried = confinement._tag === "None" ? ` (not tried: ${confinement.reason})` : ""

describe.runIf(confinement._tag !== "None")(`the page of the first module${untried}`, () => {
  it("leads to a module that runs, step by step", async () => {
    const home = mkdtempSync(join(tmpdir(), "lsfm-"))
    const environment = { ...process.env, PATH: PATH_WITH_NODE, NODE_LISTEN_ADDR: "127.0.0.1:0", XDG_CACHE_HOME: CACHE }
    const address = `127.0.0.1:${await freePort()}`
    const words = (command: string): ReadonlyArray<string> =>
      command.replaceAll("~", home).split(" ").map((word) => word.replaceAll("'", ""))
    const rpc = async (command: string): Promise<unknown> => {
      const given = words(command.replace("pnpm lockstep", `--rpc-addr ${address}`))
      const { stdout } = await promisify(execFile)(repository("node/bin/lockstep"), given, { env: environment })
      return JSON.parse(stdout)
    }
    let node: ChildProcess | undefined
    try {
      const [install, create, run, mine, ask, test, build] = commands() as [
        string,
        string,
        string,
        string,
        string,
        string,
        string
      ]
      assert.match(install, /pnpm@[\d.]+ install$/)
      assert.strictEqual((await runTool(words(create).slice(2))).exitCode, 0)

      const [change, answer] = blocks("ts") as [string, string]
      const watcher = (path: string): string => join(home, "watcher", path)
      edit(watcher("src/parts.ts"), /call: async[^]*?\n {6}\}/, change)
      edit(watcher("module.toml"), /capabilities = .*/, blocks("toml")[0]!)
      const tested = words(test).slice(3)
      const alone = { env: { ...environment, NODE_TEST_CONTEXT: undefined } }
      const failure = await promisify(execFile)(process.execPath, tested, alone).catch((error: unknown) => error)
      assert.include((failure as { stdout: string }).stdout, "the fake node has no answer to GetMempoolSize")
      edit(watcher("test/parts.test.ts"), /answer: .*/, answer)
      edit(watcher("test/parts.test.ts"), /\{ blocks: 1, height: 7 \}/, "{ blocks: 1, height: 7, waiting: 0 }")
      await promisify(execFile)(process.execPath, tested, alone)

      let printed = ""
      const tools = repository("sdk/src/tools/cli.ts")
      node = endsWithTests(
        spawn(process.execPath, [tools, ...words(run).slice(2), "--rpc-addr", address], { env: environment })
      )
      for (const stream of [node.stdout!, node.stderr!]) {
        stream.on("data", (chunk: Buffer) => void (printed += String(chunk)))
      }
      await untilHolds(() => printed.includes("module loaded"), () => printed)
      assert.include(printed, "ask this node with: pnpm lockstep --config")
      await rpc(mine)
      await untilHolds(() => printed.includes("block 1"), () => printed)
      assert.deepStrictEqual(await rpc(ask), { blocks: 1, height: 1, waiting: 0 })
      node.kill("SIGINT")
      assert.deepStrictEqual(await once(node, "close"), [0, null])
      node = undefined

      assert.strictEqual((await runTool(words(build).slice(2))).exitCode, 0)
    } finally {
      node?.kill("SIGINT")
      rmSync(home, { recursive: true, force: true })
    }
  })
})
