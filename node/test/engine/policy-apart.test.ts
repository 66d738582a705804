import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../../..")

/** What judges blocks in the node. The linter looks at each of their imports, this test at those behind them too. */
const JUDGES = ["chainstate", "header-index", "intake", "script-pool", "validation"].map((folder) =>
  `node/src/engine/${folder}`
)

const POLICY = /^@lockstep\/kernel(\/relay|\/spam)?$|^@lockstep\/protocol\/rejection\/relay-/

const sources: ReadonlyMap<string, string> = new Map(
  ["node/src", "protocol/src"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => `${folder}/${file}`.replaceAll("\\", "/"))
      .map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const)
  )
)

/** What a file imports or re-exports, types left out. */
const importsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\s)[^"';]*?from\s+"([^"]+)"/gm)].map(([, specifier]) => specifier!)

const fileOf = (from: string, specifier: string): string =>
  specifier.startsWith("@lockstep/protocol/")
    ? `protocol/src/${specifier.slice("@lockstep/protocol/".length)}`
    : relative(ROOT, resolve(ROOT, dirname(from), specifier)).replaceAll("\\", "/")

/** Modules of relay policy that are imported from `start`, directly or not, with the file that does it. */
const policyReached = (start: string, files: ReadonlyMap<string, string>): ReadonlyArray<string> => {
  const reached = new Set([start])
  const found: Array<string> = []
  for (const file of reached) {
    for (const specifier of importsOf(files.get(file) ?? "")) {
      if (POLICY.test(specifier)) found.push(`${file} imports ${specifier}`)
      else if (/^(\.|@lockstep\/protocol\/)/.test(specifier)) reached.add(fileOf(file, specifier))
    }
  }
  return found
}

const judging = [...sources.keys()].filter((file) => JUDGES.some((folder) => file.startsWith(`${folder}/`)))

describe("relay policy", () => {
  it.each(JUDGES)("is not reached from %s", (folder) => {
    const files = judging.filter((file) => file.startsWith(`${folder}/`))
    assert.isNotEmpty(files)
    for (const file of files) assert.deepStrictEqual(policyReached(file, sources), [], file)
  })

  it("would be found behind any number of imports", () => {
    const between = "node/src/engine/options/yield-to-event-loop.ts"
    const planted = new Map([...sources, [
      between,
      `import { checkStandard } from "@lockstep/kernel/relay"\n${sources.get(between)!}`
    ]])
    const found = judging.flatMap((file) => policyReached(file, planted))
    assert.include(found, `${between} imports @lockstep/kernel/relay`)
  })
})
