import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { FOLDERS } from "../lint/folders.js"

const ROOT = join(import.meta.dirname, "../..")

const LONG = Array.from({ length: 401 }, (_, i) => `export const v${i} = ${i}\n`).join("")
const BRANCHES = Array.from({ length: 16 }, (_, i) => `  if (n === ${i}) return ${i + 1}\n`).join("")
const TANGLED = `export const f = (n: number): number => {\n${BRANCHES}  return 0\n}\n`

/** Files that break one rule each: path, content, the rule that must be named. */
const BAD: ReadonlyArray<readonly [path: string, content: string, rule: string]> = [
  ["kernel/src/throws.ts", "export const f = (): never => {\n  throw new TypeError(\"no\")\n}\n", "lockstep(no-throw)"],
  [
    "kernel/src/catches.ts",
    "export const f = (g: () => void): void => {\n  try {\n    g()\n  } finally {\n    g()\n  }\n}\n",
    "lockstep(no-throw)"
  ],
  ["kernel/src/counts.ts", "let calls = 0\nexport const f = (): number => ++calls\n", "lockstep(no-module-state)"],
  [
    "kernel/src/exports-let.ts",
    "export let mode = 0\nexport const f = (): number => mode++\n",
    "lockstep(no-module-state)"
  ],
  [
    "kernel/src/caches.ts",
    "const CACHE = new Map<string, number>()\nexport const f = (k: string) => CACHE.get(k)\n",
    "lockstep(no-module-state)"
  ],
  [
    "kernel/src/scratch.ts",
    "const S = [0]\nexport const f = (n: number): void => {\n  S[0] = n\n}\n",
    "lockstep(no-module-state)"
  ],
  ["kernel/src/tallies.ts", "const S = { n: 0 }\nexport const f = (): number => S.n++\n", "lockstep(no-module-state)"],
  ["kernel/src/class.ts", "export class Hidden {\n  readonly n = 1\n}\n", "lockstep(no-module-state)"],
  ["kernel/src/waits.ts", "export const f = async (p: Promise<number>) => await p\n", "lockstep(no-async)"],
  ["kernel/src/loads-late.ts", "export const f = () => import(\"./counts.ts\")\n", "lockstep(no-async)"],
  ["kernel/src/yields.ts", "export function* f() {\n  yield 1\n}\n", "lockstep(no-generator)"],
  ["kernel/src/reads-files.ts", "export { readFileSync } from \"node:fs\"\n", "lockstep(kernel-imports)"],
  ["kernel/src/bare-builtin.ts", "export { readFileSync } from \"fs\"\n", "lockstep(kernel-imports)"],
  [
    "kernel/src/whole-effect.ts",
    "import { Effect } from \"effect\"\nexport const f = Effect\n",
    "lockstep(kernel-imports)"
  ],
  [
    "kernel/src/other-effect.ts",
    "import * as Effect from \"effect/Effect\"\nexport const f = Effect\n",
    "lockstep(kernel-imports)"
  ],
  [
    "kernel/src/uses-crypto.ts",
    "export { provider } from \"@lockstep/crypto/index.ts\"\n",
    "lockstep(import-direction)"
  ],
  ["kernel/src/climbs.ts", "export { provider } from \"../../crypto/src/index.ts\"\n", "lockstep(import-direction)"],
  ["kernel/test/judge.test.ts", "import \"@lockstep/conformance/cli.ts\"\n", "lockstep(import-direction)"],
  ["kernel/src/clock.ts", "export const f = (): number => Date.now()\n", "eslint(no-restricted-globals)"],
  ["kernel/src/node.ts", "export const f = () => process.env\n", "eslint(no-restricted-globals)"],
  ["kernel/src/dice.ts", "export const f = (): number => Math.random()\n", "eslint(no-restricted-properties)"],
  [
    "kernel/src/locale.ts",
    "export const f = (a: string, b: string) => a.localeCompare(b)\n",
    "eslint(no-restricted-properties)"
  ],
  ["kernel/src/any.ts", "export const f = (a: any) => a\n", "typescript(no-explicit-any)"],
  ["kernel/src/default.ts", "export default 1\n", "import(no-default-export)"],
  ["kernel/src/prints.ts", "export const f = (): void => console.log(1)\n", "eslint(no-console)"],
  ["kernel/src/round.ts", "import { g } from \"./trip.ts\"\nexport const f = (): number => g()\n", "import(no-cycle)"],
  ["kernel/src/trip.ts", "import { f } from \"./round.ts\"\nexport const g = (): number => f()\n", "import(no-cycle)"],
  [
    "kernel/src/type-round.ts",
    "import type { G } from \"./type-trip.ts\"\nexport type F = { readonly g: G }\n",
    "import(no-cycle)"
  ],
  [
    "kernel/src/type-trip.ts",
    "import type { F } from \"./type-round.ts\"\nexport type G = { readonly f: F }\n",
    "import(no-cycle)"
  ],
  ["kernel/src/long.ts", LONG, "eslint(max-lines)"],
  ["kernel/src/tangled.ts", TANGLED, "eslint(complexity)"],
  ["node/src/rpc/now.ts", "export const f = (): number => Date.now()\n", "lockstep(injected-clock)"],
  ["node/src/rpc/lasts.ts", "export const f = (): number => performance.now()\n", "lockstep(injected-clock)"],
  ["node/src/rpc/today.ts", "export const f = (): Date => new Date()\n", "lockstep(injected-clock)"],
  ["node/src/rpc/waits.ts", "export const f = (g: () => void) => setTimeout(g, 1)\n", "lockstep(injected-clock)"],
  ["node/src/rpc/asks.ts", "export const f = () => process.env[\"HOME\"]\n", "lockstep(injected-environment)"],
  ["crypto/src/judged.ts", "import \"@lockstep/conformance/cli.ts\"\n", "lockstep(import-direction)"],
  ["crypto/src/tested.ts", "import \"@lockstep/property-tests/arbitraries/bytes.ts\"\n", "lockstep(import-direction)"],
  ["protocol/src/hashes.ts", "export { provider } from \"@lockstep/crypto/index.ts\"\n", "lockstep(import-direction)"],
  [
    "kernel/src/parameters.ts",
    "export { NETWORKS } from \"@lockstep/protocol/index.ts\"\n",
    "lockstep(import-direction)"
  ],
  [
    "txgraph/src/uses-kernel.ts",
    "export { bytesEqual } from \"@lockstep/kernel/bytes\"\n",
    "lockstep(graph-imports)"
  ],
  ["txgraph/src/counts.ts", "let calls = 0\nexport const f = (): number => ++calls\n", "lockstep(no-module-state)"],
  [
    "txgraph/src/throws.ts",
    "export const f = (): never => {\n  throw new TypeError(\"no\")\n}\n",
    "lockstep(no-throw)"
  ],
  ["txgraph/src/reads-clock.ts", "export const f = (): number => Date.now()\n", "eslint(no-restricted-globals)"],
  [
    "txgraph/src/store/climbs-up.ts",
    "import { m } from \"../order/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  ["txgraph/test/borrows.ts", "import \"@lockstep/kernel/bytes\"\n", "lockstep(import-direction)"],
  ["conformance/src/operates.ts", "import \"@lockstep/node/main.ts\"\n", "lockstep(import-direction)"],
  [
    "conformance/src/borrows.ts",
    "import \"@lockstep/property-tests/arbitraries/bytes.ts\"\n",
    "lockstep(import-direction)"
  ],
  ["property-tests/src/operates.ts", "import \"../../node/src/main.ts\"\n", "lockstep(import-direction)"],
  [
    "kernel/src/script/climbs-up.ts",
    "import { m } from \"../machine/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "kernel/src/script/type-climbs-up.ts",
    "import type { M } from \"../machine/m.ts\"\nexport type F = M\n",
    "lockstep(folder-direction)"
  ],
  ["kernel/src/script/re-exports-up.ts", "export { m } from \"../machine/m.ts\"\n", "lockstep(folder-direction)"],
  [
    "kernel/src/attic/homeless.ts",
    "import { s } from \"../script/s.ts\"\nexport const f = s\n",
    "lockstep(folder-direction)"
  ],
  ["kernel/src/verdict.ts", "import { s } from \"./script/s.ts\"\nexport const v = s\n", "lockstep(folder-direction)"],
  [
    "node/src/reaches-in.ts",
    "import { s } from \"@lockstep/kernel/internal/script/s.ts\"\nexport const f = s\n",
    "lockstep(kernel-face)"
  ],
  [
    "protocol/src/reaches-in.ts",
    "import type { S } from \"@lockstep/kernel/internal/script/s.ts\"\nexport type F = S\n",
    "lockstep(kernel-face)"
  ],
  [
    "node/src/coins/climbs-up.ts",
    "import { m } from \"../engine/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/engine/api/type-climbs-up.ts",
    "import type { M } from \"../../rpc/methods/m.ts\"\nexport type F = M\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/rest/asks-rpc.ts",
    "import type { RpcError } from \"../rpc/rpc-error.ts\"\nexport type F = RpcError\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/core-rest/resources/asks-rpc.ts",
    "import { m } from \"../../rpc/dispatch/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/core-rest/asks-methods.ts",
    "import { m } from \"../methods/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/queries/knows-codes.ts",
    "import { m } from \"../methods/definition/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/engine/state/type-climbs-up.ts",
    "import type { M } from \"../host/m.ts\"\nexport type F = M\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/p2p/peer/climbs-up.ts",
    "import { m } from \"../layer/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/p2p/attic/homeless.ts",
    "import { m } from \"../peer/m.ts\"\nexport const f = m\n",
    "lockstep(folder-direction)"
  ],
  ["node/src/hex.ts", "import { m } from \"./engine/m.ts\"\nexport const f = m\n", "lockstep(folder-direction)"],
  [
    "kernel/src/connect/asks-policy.ts",
    "import { p } from \"../relay/p.ts\"\nexport const f = p\n",
    "lockstep(folder-direction)"
  ],
  [
    "kernel/src/block/asks-policy-type.ts",
    "import type { P } from \"../relay/p.ts\"\nexport type F = P\n",
    "lockstep(folder-direction)"
  ],
  [
    "kernel/src/interpreter/asks-spam.ts",
    "export { p } from \"../spam/p.ts\"\n",
    "lockstep(folder-direction)"
  ],
  [
    "node/src/engine/validation/asks-policy.ts",
    "import { checkStandard } from \"@lockstep/kernel/relay\"\nexport const f = checkStandard\n",
    "lockstep(policy-apart)"
  ],
  [
    "node/src/engine/intake/asks-spam.ts",
    "import { checkSpam } from \"@lockstep/kernel/spam\"\nexport const f = checkSpam\n",
    "lockstep(policy-apart)"
  ],
  [
    "node/src/coins/asks-everything.ts",
    "import { checkStandard } from \"@lockstep/kernel\"\nexport const f = checkStandard\n",
    "lockstep(policy-apart)"
  ],
  [
    "node/src/engine/validation/words.ts",
    "export { relayRejectionOf } from \"@lockstep/protocol/rejection/relay-rejection.ts\"\n",
    "lockstep(policy-apart)"
  ],
  ["property-tests/src/judges.ts", "import \"@lockstep/conformance/cli.ts\"\n", "lockstep(import-direction)"]
]

/** Files with everything that is allowed and looks like the above. */
const GOOD: ReadonlyArray<readonly [path: string, content: string]> = [
  [
    "kernel/src/rule.ts",
    `import type { Result } from "effect"
import * as R from "effect/Result"
import { sha256 } from "@noble/hashes/sha2.js"
import { other } from "./other.ts"

const TABLE = new Uint8Array(4)
TABLE[1] = other
const NAMES: ReadonlyMap<string, number> = new Map([["a", 1]])

export const rule = (bytes: Uint8Array): Result.Result<number> => {
  const seen = new Map<number, number>()
  const local = [0]
  local[0] = bytes.length
  seen.set(0, local[0])
  return R.succeed(TABLE[1]! + sha256(bytes).length + (NAMES.get("a") ?? 0))
}
`
  ],
  ["kernel/src/script/s.ts", "import { T } from \"../constants.ts\"\nexport type S = number\nexport const s = T\n"],
  ["kernel/src/constants.ts", "export const T = 1\n"],
  ["kernel/src/machine/m.ts", "import { s } from \"../script/s.ts\"\nexport type M = number\nexport const m = s\n"],
  ["kernel/src/faces.ts", "export { m } from \"./machine/m.ts\"\nexport { s } from \"./script/s.ts\"\n"],
  [
    "node/src/engine/mempool/asks-policy.ts",
    "import { checkStandard } from \"@lockstep/kernel/relay\"\nexport const f = checkStandard\n"
  ],
  ["node/src/uses-face.ts", "import { s } from \"@lockstep/kernel/script\"\nexport const f = s\n"],
  [
    "property-tests/src/reaches-in.ts",
    "import { s } from \"@lockstep/kernel/internal/script/s.ts\"\nexport const f = s\n"
  ],
  ["kernel/src/other.ts", "export const other = 1\n"],
  [
    "crypto/src/provider.ts",
    "import { hash } from \"node:crypto\"\nimport { rule } from \"@lockstep/kernel/rule.ts\"\nexport const p = [hash, rule]\n"
  ],
  [
    "conformance/src/judge.ts",
    "import { p } from \"@lockstep/crypto/provider.ts\"\nimport { rule } from \"@lockstep/kernel/rule.ts\"\nexport const j = [p, rule]\n"
  ],
  [
    "property-tests/src/law.ts",
    "import { p } from \"@lockstep/crypto/provider.ts\"\nimport { rule } from \"@lockstep/kernel/rule.ts\"\nexport const l = [p, rule]\n"
  ],
  [
    "scripts/all.ts",
    "import { j } from \"../conformance/src/judge.ts\"\nimport { l } from \"../property-tests/src/law.ts\"\nconsole.log(j, l)\n"
  ],
  ["bench/all.ts", "import { p } from \"../crypto/src/provider.ts\"\nconsole.log(p)\n"]
]

interface Diagnostic {
  readonly code: string
  readonly filename: string
}

let directory = ""
let diagnostics: ReadonlyArray<Diagnostic> = []

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "lint-"))
  const put = (path: string, content: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), content)
  }
  for (const path of [".oxlintrc.json", "conformance/lint"]) {
    cpSync(join(ROOT, path), join(directory, path), { recursive: true })
  }
  for (const [path, content] of [...BAD, ...GOOD]) put(path, content)
  const run = spawnSync(process.execPath, [
    join(ROOT, "node_modules/oxlint/bin/oxlint"),
    "--deny-warnings",
    "--format",
    "json"
  ], {
    cwd: directory,
    encoding: "utf8"
  })
  diagnostics = (JSON.parse(run.stdout) as { diagnostics: ReadonlyArray<Diagnostic> }).diagnostics
})

afterAll(() => rmSync(directory, { recursive: true, force: true }))

const codesFor = (path: string) => diagnostics.filter((d) => d.filename === path).map((d) => d.code)

describe("layers", () => {
  it.each(Object.entries(FOLDERS))(
    "of %s have an order: a folder imports none that is listed behind it",
    (_, { folders }) => {
      const names = Object.keys(folders)
      for (const [i, name] of names.entries()) {
        for (const below of folders[name]!) assert.include(names.slice(0, i), below, `${name} may import ${below}`)
      }
    }
  )
})

describe("rooms of the engine and of the network layer", () => {
  it.each(["node/src/engine", "node/src/p2p"])("hold every file of %s", (root) => {
    assert.deepStrictEqual(globSync(`${root}/*.ts`, { cwd: ROOT }), [])
  })
})

describe("exemptions", () => {
  it("name files that are there", () => {
    const lines = readFileSync(join(ROOT, ".oxlintrc.json"), "utf8").split("\n")
    const named = lines.flatMap((line) =>
      /^\s+"((?:descriptors|node|kernel|protocol|txgraph)\/[^"]+)",?$/.exec(line)?.[1] ?? []
    )
    assert.isAbove(named.length, 20)
    assert.deepStrictEqual(named.filter((path) => globSync(path, { cwd: ROOT }).length === 0), [])
  })
})

describe("lint", () => {
  it.each(BAD)("%s is refused", (path, _, rule) => {
    assert.include(codesFor(path), rule)
  })

  it.each(GOOD)("%s is accepted", (path) => {
    assert.deepEqual(codesFor(path), [])
  })
})
