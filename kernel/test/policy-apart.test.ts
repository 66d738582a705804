import { readdirSync, readFileSync } from "node:fs"
import { dirname, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import manifest from "../package.json" with { type: "json" }

const SOURCE = fileURLToPath(new URL("../src", import.meta.url))

/** Faces that hold relay policy: its own, and the one that holds everything. */
const OF_POLICY = ["relay.ts", "spam.ts", "index.ts"]

/** Every other face is one that the judgement of blocks may use. */
const FACES = Object.values(manifest.exports)
  .map((file) => file.slice("./src/".length))
  .filter((file) => !file.includes("*") && !OF_POLICY.includes(file))

const contents: ReadonlyMap<string, string> = new Map(
  readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file.replaceAll("\\", "/"), readFileSync(`${SOURCE}/${file}`, "utf8")])
)

/** Files that `start` imports or re-exports, directly or not, types included. */
const reachedFrom = (start: string, files: ReadonlyMap<string, string>): ReadonlySet<string> => {
  const reached = new Set([start])
  for (const file of reached) {
    for (const [, specifier] of (files.get(file) ?? "").matchAll(/\bfrom\s+"(\.[^"]+)"/g)) {
      reached.add(relative(SOURCE, resolve(SOURCE, dirname(file), specifier!)).replaceAll("\\", "/"))
    }
  }
  return reached
}

const policyReached = (start: string, files: ReadonlyMap<string, string>): ReadonlyArray<string> =>
  [...reachedFrom(start, files)].filter((file) => /^(relay|spam)(\/|\.ts)/.test(file))

describe("relay policy", () => {
  it.each(FACES)("is not reached from %s", (face) => {
    assert.deepStrictEqual(policyReached(face, contents), [])
  })

  it("would be found behind any number of imports", () => {
    const file = "tx/spending.ts"
    const planted = new Map([...contents, [
      file,
      `import { checkStandard } from "../relay/standard.ts"\n${contents.get(file)!}`
    ]])
    assert.include(policyReached("tx.ts", planted), "relay/standard.ts")
    assert.include(policyReached("connect.ts", planted), "relay/standard.ts")
  })

  it("is reached from its own faces", () => {
    assert.include(policyReached("relay.ts", contents), "relay/standard.ts")
    assert.include(policyReached("spam.ts", contents), "spam/content.ts")
    assert.include(policyReached("index.ts", contents), "relay/standard.ts")
  })
})
