import * as Effect from "effect/Effect"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findConfinement } from "../../src/modules/sandbox/confinement.ts"
import { type ModuleNode, startModuleNode, untilHolds } from "./escape/module-node.ts"

const EXAMPLES = fileURLToPath(new URL("../../../sdk/examples", import.meta.url))

const confinement = await Effect.runPromise(findConfinement())
const untried = confinement._tag === "None" ? ` (not tried: ${confinement.reason})` : ""

const hasCompiler = spawnSync("cc", ["--version"]).status === 0
const hasPython = existsSync("/usr/bin/python3")

describe.runIf(confinement._tag !== "None")(`the example modules of the SDK, in their sandbox${untried}`, () => {
  const built = mkdtempSync(join(tmpdir(), "lockstep-examples-"))
  let node: ModuleNode
  beforeAll(async () => {
    node = await startModuleNode()
  })
  afterAll(async () => {
    rmSync(built, { recursive: true, force: true })
    await node?.end()
  })

  const isWellBehaved = async (
    name: string,
    directory: string,
    entryPoint: string,
    program: Uint8Array
  ): Promise<void> => {
    node.put({ name, manifest: readFileSync(join(directory, "module.toml"), "utf8"), entryPoint, program })
    const before = await node.call("getblockcount") as number
    const tip = await node.call("getbestblockhash") as string
    await node.call("loadmodule", name)
    const isLogged = (text: string): Promise<void> =>
      untilHolds(
        () => node.node.stdout().includes(text),
        () => `${text} is not in\n${node.node.stdout().slice(-5_000)}`
      )
    await isLogged(`from the module ${name}","text":"tip ${tip} at ${before}"`)
    await node.mine()
    const next = await node.call("getbestblockhash") as string
    await isLogged(`from the module ${name}","text":"block ${next} at ${before + 1}"`)
    assert.strictEqual((await node.call("unloadmodule", name) as { readonly status: string }).status, "unloaded")
    assert.deepStrictEqual((await node.one(name))?.errors, [])
  }

  it.skipIf(!hasPython)(
    `in Python asks for the tip and follows blocks${hasPython ? "" : " (not tried: no /usr/bin/python3)"}`,
    async () => {
      const directory = join(EXAMPLES, "python")
      await isWellBehaved("tip-python", directory, "tip.py", readFileSync(join(directory, "tip.py")))
    }
  )

  it.skipIf(!hasCompiler)(
    `in C asks for the tip and follows blocks${hasCompiler ? "" : " (not tried: no C compiler)"}`,
    async () => {
      const directory = join(EXAMPLES, "c")
      const out = join(built, "tip")
      const { status, stderr } = spawnSync("cc", [
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-o",
        out,
        join(directory, "tip.c")
      ])
      assert.strictEqual(status, 0, String(stderr))
      await isWellBehaved("tip-c", directory, "tip", readFileSync(out))
    }
  )
})
