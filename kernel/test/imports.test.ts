import { readdirSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const SOURCE = fileURLToPath(new URL("../src", import.meta.url))

const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))

/** What a file imports or re-exports, and whether only as types. */
const importsOf = (file: string): ReadonlyArray<{ readonly specifier: string; readonly typesOnly: boolean }> =>
  [...readFileSync(`${SOURCE}/${file}`, "utf8").matchAll(/^(?:import|export)\s+(type\s)?[^"';]*?from\s+"([^"]+)"/gm)]
    .map(([, type, specifier]) => ({ specifier: specifier!, typesOnly: type !== undefined }))

const ALLOWED = /^(effect\/Result|@noble\/(ciphers|hashes|secp256k1)(\/[a-z0-9]+\.js)?)$/

const isAllowed = (file: string, specifier: string, typesOnly: boolean): boolean => {
  if (!specifier.startsWith(".")) return ALLOWED.test(specifier) || (specifier === "effect" && typesOnly)
  const target = relative(SOURCE, resolve(SOURCE, dirname(file), specifier))
  return files.includes(target)
}

describe("what the kernel imports", () => {
  it("is itself, effect/Result (and types of effect) and @noble", () => {
    const seen = new Set<string>()
    for (const file of files) {
      for (const { specifier, typesOnly } of importsOf(file)) {
        seen.add(specifier)
        assert.isTrue(isAllowed(file, specifier, typesOnly), `${file} imports ${specifier}`)
      }
    }
    // Were the pattern above blind, it would have seen none of these.
    assert.includeMembers([...seen], ["effect/Result", "@noble/secp256k1", "@noble/hashes/sha2.js"])
  })

  it("is named in plain imports, never computed or required", () => {
    for (const file of files) {
      const text = readFileSync(`${SOURCE}/${file}`, "utf8")
      assert.notMatch(text, /\bimport\s*\(|\brequire\s*\(|^import\s+"/m, file)
      const named = [...text.matchAll(/\bfrom\s+"/g)].length
      assert.strictEqual(importsOf(file).length, named, `${file}: an import that this test does not understand`)
    }
  })
})
