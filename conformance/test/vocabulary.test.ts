import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const GLOSSARY = readFileSync(join(ROOT, "docs/glossary.md"), "utf8")

/** The rows of the table under a heading of the glossary, without its head. */
const tableUnder = (heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const section = GLOSSARY.split("\n## ").find((each) => each.startsWith(heading)) ?? ""
  const rows = section.split("\n").filter((line) => line.startsWith("|"))
  return rows.slice(2).map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
}

const filesOf = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (path) => path.includes("node_modules") }))
    .toSorted()

const texts = new Map<string, string>()

/** Each file is read once: every word is looked up in all of them. */
const read = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(join(ROOT, file), "utf8")
  texts.set(file, text)
  return text
}

/** Lines behind each other are one text: comments wrap. */
const unwrapped = (text: string): string => text.replace(/\n\s*(?:\*|\/\/)?\s*/g, " ").toLowerCase()

const code = (cell: string): string => cell.replaceAll("`", "")

const PACKAGES =
  "{bench,conformance,crypto,descriptors,kernel,modules,node,property-tests,protocol,scripts,sdk,txgraph,zmq}"

const SOURCES = filesOf(
  "{kernel,protocol,crypto,descriptors,node,sdk,txgraph,zmq}/src/**/*.ts",
  "modules/*/src/**/*.ts"
)

const EXPORTED = /^export (?:const|function|class|interface|type) (\w+)/gm

/** The parts of a name: `headerIndex`, `header-index` and `HEADER_INDEX` are "header index". */
const wordsOf = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/[-_.]/g, " ").toLowerCase()

/** Names of files and of what they export, as words. */
const EXPORTED_NAMES = SOURCES.flatMap((file) =>
  [basename(file, ".ts"), ...[...read(file).matchAll(EXPORTED)].map((match) => match[1]!)].map(wordsOf)
)

/** Words that identifiers and the operator's documents do without, from the glossary. */
const BANNED = tableUnder("Words that are not used").flatMap(([words]) => words!.split(",").map((word) => word.trim()))

describe("the glossary", () => {
  it.each(tableUnder("Terms").map((row) => [row[0]!, code(row[3]!)]))("%s: names a place that is there", (_, path) => {
    assert.isNotEmpty(globSync(path, { cwd: ROOT }), path)
  })

  it.each(tableUnder("Find it by Bitcoin Core's word").map(([word, file]) => [word!, code(file!)]))(
    "%s is found in %s",
    (word, file) => {
      assert.include(unwrapped(read(file)), word.toLowerCase())
    }
  )

  it("has words to hold the tree to", () => assert.isAtLeast(BANNED.length, 8))
})

describe("words that are not used", () => {
  it.each(BANNED)("%s: stands in no exported name and no file name", (word) => {
    const banned = new RegExp(`\\b${word}s?\\b`)
    assert.deepStrictEqual(EXPORTED_NAMES.filter((name) => banned.test(name)), [])
  })

  it.each(BANNED)("%s: stands in no document for operators and developers", (word) => {
    const documents = filesOf(
      "docs/{architecture,contribute,decisions,modules,operate,rest}/*.md",
      "README.md",
      "CONTRIBUTING.md"
    )
    assert.deepStrictEqual(documents.filter((file) => new RegExp(`\\b${word}s?\\b`, "i").test(read(file))), [])
  })

  it("stand in no name that the network layer declares", () => {
    const declared = /\b(?:const|let|readonly|function|interface|type) (\w+)/g
    const words = new RegExp(`\\b(?:${[...BANNED, "tell"].join("|")})s?\\b`)
    const names = filesOf("node/src/p2p/**/*.ts").flatMap((file) =>
      [...read(file).matchAll(declared)].map((match) => `${file}: ${match[1]!}`).filter((name) =>
        words.test(wordsOf(name.split(": ")[1]!))
      )
    )
    assert.deepStrictEqual(names, [])
  })

  it("stand in no name of sources and tests when they mean people", () => {
    const declared = /\b(?:const|let|readonly|function|interface|type) (\w+)/g
    const people = /\b(?:stranger|whoever|nobody|somebody|anybody)s?\b/
    const names = filesOf(`${PACKAGES}/**/*.ts`).flatMap((file) =>
      [...read(file).matchAll(declared)].map((match) => match[1]!).filter((name) => people.test(wordsOf(name)))
        .map((name) => `${file}: ${name}`)
    )
    assert.deepStrictEqual(names, [])
  })

  it("are rare in sources, tests and documents", () => {
    const text = /reference (?:implementation|node)|stranger|whoever|\bnobody|somebody/i
    const files = filesOf(`${PACKAGES}/**/*.ts`, "docs/**/*.md", "spec/**/*.md").filter((file) =>
      file !== "docs/glossary.md" && file !== "conformance/test/vocabulary.test.ts"
    )
    const lines = files.flatMap((file) =>
      read(file).split("\n").filter((line) => text.test(line)).map((line) => `${file}: ${line.trim()}`)
    )
    assert.isAtMost(lines.length, 20, lines.join("\n"))
  })
})

/** Folders of the node whose comments keep to the rules of the style guide. Add a folder once it is clean. */
const CLEAN_FOLDERS = [
  "answers",
  "bitcoin-cli",
  "bitcoind",
  "bytes",
  "cli",
  "coins",
  "config",
  "core-rest",
  "engine",
  "engine-client",
  "engine-worker",
  "events",
  "figures",
  "finalizers",
  "front",
  "health",
  "http",
  "indexes",
  "json",
  "lifecycle",
  "log",
  "maintenance",
  "methods",
  "metrics",
  "modules",
  "net",
  "p2p",
  "queries",
  "quic",
  "rest",
  "rpc",
  "runtime",
  "storage",
  "zmq"
]

/** Other packages whose comments keep to those rules. */
const CLEAN_PACKAGES = ["descriptors", "kernel", "modules/*", "protocol", "sdk", "txgraph", "zmq"]

const CLEAN_SOURCES = filesOf(
  `node/src/{${CLEAN_FOLDERS.join(",")}}/**/*.ts`,
  "node/src/*.ts",
  ...CLEAN_PACKAGES.map((folder) => `${folder}/src/**/*.ts`)
).filter((file) => !file.includes("/generated/"))

const COMMENT = /^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm

/** The comments of a source, each on one line behind `/**`, `/*` or `//`. */
const commentsIn = (source: string): ReadonlyArray<string> =>
  [...source.matchAll(COMMENT)].map(([comment]) => comment.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/g, " ").trim())

/** What comments do without, with an example and what to write instead. */
const AVOIDED: ReadonlyArray<readonly [rule: string, pattern: RegExp, example: string]> = [
  [
    "begins with a question word; write \"Returns …\", \"Reports whether …\", \"True if …\" or a noun",
    /^\/\*\* (?:How|What|When|Where|Whether|Why)\b/,
    "/**\n * Whether a peer may relay.\n */"
  ],
  [
    "begins with \"Answers\"; write \"Returns …\"",
    /^\/\*\* Answers\b/,
    "/** Answers the hash. */"
  ],
  [
    "says \"none: …\"; write \"`undefined` if …\" or \"absent if …\"",
    /\bnone:/i,
    "/** The hash; none: the block is unknown. */"
  ],
  [
    "says \"is there\" or \"there is none\"; write \"exists\" or \"is missing\"",
    /\b(?:is|are) there\b|\bthere (?:is|are) none\b/i,
    "// A file that is\n// there is read."
  ],
  [
    "says \"is none\"; write \"invalid …\" or \"no …\"",
    /\b(?:that|is|are|was|were) none\b/i,
    "  /** Bytes of a frame that is none. */"
  ]
]

describe("comments of the folders that were gone through", () => {
  it.each(AVOIDED)("no comment %s", (_, pattern) => {
    const offences = CLEAN_SOURCES.flatMap((file) =>
      commentsIn(read(file)).filter((comment) => pattern.test(comment)).map((comment) => `${file}: ${comment}`)
    )
    assert.deepStrictEqual(offences, [])
  })

  it.each(AVOIDED)("a planted comment is found that %s", (_, pattern, example) => {
    const found = commentsIn(`const before = 1\n${example}\nconst after = "/** none: */"\n`)
    assert.strictEqual(found.length, 1)
    assert.match(found[0]!, pattern)
  })
})
