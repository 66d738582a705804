import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

/** Files that look for words in a message, with the reason: the words are not this project's, or cross a border. */
const READERS: Readonly<Record<string, string>> = {
  "modules/mining/follow-templates.ts": "the answer of a node to a module, whose protocol has no code for it",
  "node/src/bitcoind/plan/access.ts": "problems of a plan are texts",
  "node/src/bitcoind/plan/http-failed.ts": "problems of a plan are texts",
  "node/src/bitcoind/plan/late-problem.ts": "problems of a plan are texts",
  "node/src/bitcoind/plan/listening.ts": "problems of a plan are texts",
  "node/src/bitcoind/run/failure-text.ts": "failures of a start cross from the engine's thread as texts",
  "node/src/cli/commands/call-faults.ts": "the answer of another program, whose code stands for several errors",
  "node/src/cli/run-cli.ts": "cuts a message into lines",
  "node/src/config/file/parse-file.ts": "words of the library that reads TOML",
  "node/src/config/resolve/with-source.ts": "problems of a configuration name keys within their text",
  "node/src/modules/registry/parse-manifest.ts": "words of the library that reads TOML",
  "node/src/p2p/transport/quic/quic-inbound.ts": "words of the library for QUIC",
  "node/src/quic/native-package.ts": "words of Node.js",
  "node/src/rpc/quic/quic-server.ts": "words of the library for QUIC",
  "node/src/standard-streams.ts": "words of Node.js",
  "node/src/storage/key-value/engine-error.ts": "words of the engines of the store",
  "node/src/storage/key-value/opening/probe.ts": "words of the engines of the store",
  "sdk/src/run/environment.ts": "words of Node.js",
  "sdk/src/tools/commands.ts": "words of Node.js",
  "sdk/src/tools/compose.ts": "words of the library that reads TOML",
  "sdk/src/tools/manifest-file.ts": "words of the library that reads TOML"
}

/** A name under which messages go about: `message`, `error.message`, `why.reason`. */
const MESSAGE = String.raw`(?:[\w.?!]+\.)?(?:message|problem|reason|why)\b`

/** A regular expression that is applied to a message, or a search for words within one. */
const SEARCHES: ReadonlyArray<RegExp> = [
  new RegExp(String.raw`\.(?:test|exec)\(\s*${MESSAGE}`),
  new RegExp(
    String.raw`${MESSAGE}\)?[?!]?\.(?:endsWith|includes|indexOf|match|matchAll|replace|search|split|startsWith)\(`
  )
]

const searches = (code: string): boolean => SEARCHES.some((pattern) => pattern.test(code))

const sources = (): ReadonlyArray<string> =>
  globSync(["node/src/**/*.ts", "modules/*/*.ts", "sdk/src/**/*.ts"], { cwd: ROOT }).filter((file) =>
    !file.includes("node_modules") &&
    searches(readFileSync(join(ROOT, file), "utf8").replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, ""))
  ).toSorted()

describe("messages of this project", () => {
  it("are searched for words by no source but those with a reason: errors have tags and codes", () => {
    assert.deepStrictEqual(sources(), Object.keys(READERS).toSorted())
  })

  it.each([
    "if (/^(Block|Undo data) not available/.test(message)) return 404",
    "const [, proxy] = PATTERN.exec(error.message) ?? []",
    "return message.startsWith(\"no answer within\")",
    "const known = REASONS.find(([pattern]) => pattern.test(happening.reason))",
    "(error as Error).message.includes(\"is no address\")"
  ])("are seen to be searched in %s", (code) => {
    assert.isTrue(searches(code))
  })

  it.each(["const text = `${message}: ${reason}`", "texts.includes(message)", "pattern.test(text)"])(
    "are not searched in %s",
    (code) => {
      assert.isFalse(searches(code))
    }
  )
})
