import { type AvailableProvider, detectProviders } from "@lockstep/crypto/index.ts"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { decodeInput } from "../input-codec.ts"
import type { AnyTarget } from "../target.ts"
import { findingIn } from "./judged.ts"

const filesIn = (directory: string): ReadonlyArray<string> =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
      .map((entry) => join(entry.parentPath, entry.name))
    : []

/** Tests that nothing is wrong any more with what is kept in a directory, by these targets. */
export const replayRegressions = (directory: string, targets: ReadonlyArray<AnyTarget>): void => {
  const providers = detectProviders().filter((provider): provider is AvailableProvider => provider.available)
  const targetNamed = (name: string): AnyTarget | undefined => targets.find((target) => target.name === name)
  const files = filesIn(directory)
  const surroundings = { scratch: mkdtempSync(join(tmpdir(), "lockstep-")) }
  const endings = new Map<string, () => Promise<void>>()

  afterAll(async () => {
    for (const end of endings.values()) await end()
    rmSync(surroundings.scratch, { recursive: true, force: true })
  })

  describe("what the fuzzer once found", () => {
    it.each(files.map((file) => [relative(directory, file), file] as const))("is right now: %s", async (_, file) => {
      const { target: name, input } = JSON.parse(readFileSync(file, "utf8")) as { target: string; input: unknown }
      const target = targetNamed(name)
      assert(target !== undefined, `${file}: there is no target ${name}`)
      if (target.prepare !== undefined && !endings.has(name)) endings.set(name, await target.prepare(surroundings))
      assert.strictEqual(await findingIn(target, decodeInput(JSON.stringify(input)), providers), undefined)
    })

    it("is kept under the name of a target", () => {
      for (const file of files) {
        assert(targetNamed(relative(directory, file).split("/")[0]!) !== undefined, `${file}: no such target`)
      }
    })
  })
}
