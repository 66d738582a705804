import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { OPTIONS_BY_NAME } from "../../src/bitcoind/options/option-table.ts"
import { FILE_KEYS, KEYS, shownKey } from "../../src/config/catalogue.ts"
import { coreCounterpart } from "../../src/config/convert-core/core-counterpart.ts"
import { CORE_NAMES } from "../../src/front/core-names.ts"

const SOURCES = join(import.meta.dirname, "../../src")

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(SOURCES, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts")).map((file) => join(folder, file)).toSorted()

const isComment = (line: string): boolean => /^\s*(?:\*|\/\/|\/\*)/.test(line)

const textOf = (file: string): string =>
  readFileSync(join(SOURCES, file), "utf8").split("\n").filter((line) => !isComment(line)).join("\n")

const OWN = [
  // Other programs: the client of Bitcoin Core, and the commands of `lockstep`.
  "bitcoin-cli/",
  "cli/",
  // Files, variables, options and conversions of `lockstep`, which `bitcoind` does not read; descriptions of its keys.
  "config/convert-core/",
  "config/file/",
  "config/given/environment.ts",
  "config/given/options.ts",
  "config/load-config.ts",
  "config/not-built.ts",
  "config/schema/",
  "front/",
  // No option of `bitcoind` switches these on: modules, a port of their own for REST, tokens, QUIC and Iroh.
  "config/resolve/credentials.ts",
  "config/resolve/modules-of.ts",
  "config/resolve/quic-rpc.ts",
  "config/resolve/rest.ts",
  "config/resolve/stratum-v2-of.ts",
  "modules/",
  "p2p/layer/configured-listening.ts",
  "p2p/transport/iroh/",
  "p2p/transport/quic/",
  "quic/",
  "rest/",
  "rpc/quic/",
  // Names of columns, and programs of others.
  "engine/options/index-switches.ts",
  "methods/help/example-commands.ts",
  "storage/key-value/opening/probe.ts"
]

/** Words of both programs, each under its own name. */
const BY_FRONT = /byFront\(\{[\s\S]*?\n? *\}\)/g

const NAMING = /(?:settingName|shortSettingName|settingTo|anySettingName)\(\s*"[^"]*"/g

const LITERAL = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g

const LONG_KEYS = FILE_KEYS.map(({ name }) => name.slice(name.lastIndexOf(".") + 1)).filter((key) => key.includes("_"))

/** Where keys that `bitcoind` does not set are looked up by the ends of their names. */
const LOOKS_UP = "config/resolve/mempool-of.ts"

/** About a node that UDP alone reaches, which Bitcoin Core's options cannot ask for. */
const ALONE = /^transport_preference = .* leaves \w+ alone/

const SPELLED = new RegExp(
  String.raw`\[[a-z][a-z_.]*\]\.[a-z]|\bnode\.toml\b|\bNODE_(?!NETWORK)[A-Z]|[^\w-]--[a-z]+(?:-[a-z]+)*\b|\b(?:${
    LONG_KEYS.join("|")
  })\b`
)

describe("a source of the node", () => {
  it("spells no setting by hand in a message: bitcoind calls it otherwise", () => {
    const found = filesBelow(".").filter((file) => !OWN.some((prefix) => file.startsWith(prefix))).flatMap((file) => {
      const text = textOf(file).replaceAll(BY_FRONT, "").replaceAll(NAMING, "")
      return [...text.matchAll(LITERAL)].map(([literal]) => literal.replaceAll(/\$\{[^}]*\}/g, "").slice(1, -1))
        .filter((words) => SPELLED.test(` ${words}`) && !KEYS.has(words) && !ALONE.test(words))
        .filter((words) => file !== LOOKS_UP || !LONG_KEYS.includes(words))
        .map((words) => `${file}: ${words}`)
    })
    assert.deepStrictEqual(found, [])
  })
})

describe("the table of Bitcoin Core's names", () => {
  it("names settings and options that exist", () => {
    const shown = new Set([...KEYS.keys()].map(shownKey))
    for (const [own, core] of Object.entries(CORE_NAMES)) {
      const isTable = own === "[regtest].activation_heights"
      if (!own.startsWith("--") && !isTable) assert.isTrue(shown.has(own), own)
      assert.isTrue(OPTIONS_BY_NAME.has(core.slice(1)), core)
    }
  })

  it("agrees with what becomes of bitcoin.conf", () => {
    const other = Object.entries(CORE_NAMES).flatMap(([own, core]) => {
      const key = coreCounterpart(core.slice(1))
      return key === undefined || CORE_NAMES[shownKey(key) as keyof typeof CORE_NAMES] === core
        ? []
        : [`${own}: ${key}`]
    })
    assert.deepStrictEqual(other, [])
  })

  it("has each key that an option of bitcoind sets", () => {
    /** Keys that no option chooses: the program sets them to be as Bitcoin Core is. */
    const fixed = [
      "rpc.ip_rate_limit_burst",
      "rpc.ip_rate_limit_rate",
      "rpc.max_failed_credentials",
      "rpc_auth.rate_limit_burst",
      "rpc_auth.rate_limit_rate",
      "rpc_auth.required",
      "storage.min_free_disk_mb"
    ]
    const set = filesBelow("bitcoind/plan").flatMap((file) => textOf(file).match(/"[a-z_]+(?:\.[a-z_0-9]+)*"/g) ?? [])
      .map((literal) => literal.slice(1, -1)).filter((name) => KEYS.has(name) && name.includes("_"))
    assert.isAbove(set.length, 40)
    assert.deepStrictEqual(
      [...new Set(set)].filter((name) => !fixed.includes(name) && !(shownKey(name) in CORE_NAMES)),
      []
    )
  })
})
