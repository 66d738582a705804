import { type AvailableProvider, detectProviders } from "@lockstep/crypto/index.ts"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { assert, describe, it } from "vitest"
import { decodeInput } from "../../fuzz/input-codec.ts"
import { REGRESSIONS } from "../../fuzz/run/findings.ts"
import { findingIn } from "../../fuzz/run/judged.ts"
import { targetNamed } from "../../fuzz/targets/all.ts"

const providers = detectProviders().filter((provider): provider is AvailableProvider => provider.available)

const files = existsSync(REGRESSIONS)
  ? readdirSync(REGRESSIONS, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
      .map((entry) => join(entry.parentPath, entry.name))
  : []

describe("what the fuzzer once found", () => {
  it.each(files.map((file) => [relative(REGRESSIONS, file), file] as const))("is right now: %s", (_, file) => {
    const { target: name, input } = JSON.parse(readFileSync(file, "utf8")) as { target: string; input: unknown }
    const target = targetNamed(name)
    assert(target !== undefined, `${file}: there is no target ${name}`)
    assert.strictEqual(findingIn(target, decodeInput(JSON.stringify(input)), providers), undefined)
  })

  it("is kept under the name of a target", () => {
    for (const file of files)
      assert(targetNamed(relative(REGRESSIONS, file).split("/")[0]!) !== undefined, `${file}: no such target`)
  })
})
