import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { shippedModules } from "../build/build-module.ts"

const directory = mkdtempSync(join(tmpdir(), "lockstep-modules-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const MODULES = fileURLToPath(new URL("../", import.meta.url))

const run = (program: string, ...words: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...words], { encoding: "utf8" })
  return { status, stderr, stdout }
}

const cli = (...words: ReadonlyArray<string>) => run(join(MODULES, "build", "cli.ts"), ...words)

const USAGE = `pnpm modules DIRECTORY NAME…
  DIRECTORY  the modules_dir of a node
  NAME       psbt, stratum-v1, stratum-v2, webhooks, zmq
`

describe("modules that come with the node", () => {
  it("are the directories with a manifest, in their order", () => {
    assert.deepStrictEqual(shippedModules(), ["psbt", "stratum-v1", "stratum-v2", "webhooks", "zmq"])
  })

  it("are made a manifest and one program that runs by itself, by a command that says where it is", () => {
    const program = join(directory, "zmq", "zmq.mjs")
    assert.deepStrictEqual(cli(directory, "zmq"), { status: 0, stderr: "", stdout: `${program}\n` })
    const manifest = (within: string): string => readFileSync(join(within, "zmq", "module.toml"), "utf8")
    assert.strictEqual(manifest(directory), manifest(MODULES))
    assert.strictEqual(statSync(program).mode & 0o777, 0o755)
    const text = readFileSync(program, "utf8")
    assert.isTrue(text.startsWith("#!/usr/bin/env node\nimport { createRequire as requireBy } from \"node:module\"\n"))
    assert.notMatch(text, /from "@?(?:lockstep|effect)/)
    const { status, stderr } = run(program)
    assert.strictEqual(status, 1)
    assert.match(stderr, /^MODULE_NAME is not set: /)
  })

  it("are not made by words that name others, which the command refuses with its usage", () => {
    const into = join(directory, "more")
    const stderr = `there is no module none, other\n\n${USAGE}`
    assert.deepStrictEqual(cli(into, "zmq", "none", "other"), { status: 2, stderr, stdout: "" })
    assert.isFalse(existsSync(into))
  })
})
