import { assert, describe, it } from "@effect/vitest"
import { execFile, execFileSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { patience } from "../process/patience.ts"
import { damagedBelow } from "./conditions.ts"
import { makeSite, type ProgramName, PROGRAMS, type Site, type Start } from "./programs.ts"

const CLIENT = fileURLToPath(new URL("../../bin/bitcoin-cli", import.meta.url))

const COMMENT = "came-through"

/** A way to give the program its configuration, and what comes of that. */
interface Way {
  readonly name: string
  /** What bash does; `$@` is the program with its words, `FILE` a file with the configuration. */
  readonly script: string
  readonly comes: "used" | "nothing in it" | "refused" | "a directory"
}

/** Ends also without a reader. */
const WRITER = `timeout 20 bash -c 'cat FILE > FIFO' > /dev/null 2>&1 < /dev/null`

const WAYS: ReadonlyArray<Way> = [
  { name: "a FIFO", script: `${WRITER} & exec "$@" OPTIONFIFO`, comes: "used" },
  { name: "process substitution", script: `exec "$@" OPTION<(cat FILE)`, comes: "used" },
  { name: "standard input", script: `cat FILE | "$@" OPTION/dev/stdin`, comes: "used" },
  {
    name: "a FIFO that it includes",
    script: `${WRITER} & exec "$@" OPTION<(echo includeconf=FIFO)`,
    comes: "used"
  },
  { name: "/dev/null", script: `exec "$@" OPTION/dev/null`, comes: "nothing in it" },
  { name: "a socket", script: `exec "$@" OPTIONSOCKET`, comes: "refused" },
  { name: "a directory", script: `exec "$@" OPTIONDIRECTORY`, comes: "a directory" }
]

const TEXTS: Readonly<Record<"lockstep" | "bitcoind", Readonly<Record<"refused" | "a directory", RegExp>>>> = {
  lockstep: { refused: /: is not a regular file$/, "a directory": /: is a directory, not a file$/ },
  bitcoind: {
    refused: /^Error: Error reading configuration file: specified config file ".*" could not be opened\.$/,
    "a directory": /^Error: Error reading configuration file: Config file ".*" is a directory\.$/
  }
}

/** Files of each kind beside the data directory. */
const kindsIn = async ({ data }: Site, name: ProgramName) => {
  const at = (each: string): string => join(data, "..", each)
  const text = name === "lockstep" ? `[connections]\nblocks_only = true\n` : `uacomment=${COMMENT}\n`
  writeFileSync(at("file"), text)
  execFileSync("mkfifo", [at("fifo")])
  mkdirSync(at("directory"))
  const server = createServer().listen(at("socket"))
  await once(server, "listening")
  const option = name === "lockstep" ? "--config=" : "-conf="
  const scriptOf = ({ script }: Way): string =>
    script.replaceAll("OPTION", option).replaceAll("FILE", at("file")).replaceAll("FIFO", at("fifo"))
      .replaceAll("SOCKET", at("socket")).replaceAll("DIRECTORY", at("directory"))
  return { at, scriptOf, close: () => server.close() }
}

/** Whether the configuration arrived, as the node says it itself. */
const arrivalsIn = (found: Array<boolean>) => async (call: (method: string) => Promise<unknown>): Promise<void> => {
  const { subversion } = await call("getnetworkinfo") as { readonly subversion: string }
  found.push(subversion.includes(COMMENT))
}

const isClean = ({ exitCode, isReady, stderr }: Start, about: string): void =>
  assert.deepStrictEqual([exitCode, isReady, stderr], [0, true, ""], about)

describe("a configuration that is no regular file", () => {
  for (const name of PROGRAMS) {
    it(`is used by ${name} or refused in one line, and the next normal start is clean`, async () => {
      const site = await makeSite(name)
      const kinds = await kindsIn(site, name)
      try {
        for (const way of WAYS) {
          const found: Array<boolean> = []
          const start = await site.run(arrivalsIn(found), { script: kinds.scriptOf(way) })
          const { exitCode, isReady, log, stderr } = start
          const about = `${way.name}: ${stderr}`
          if (name === "lockstep") {
            // Its file is looked at more than once, so it has to be one.
            const text = TEXTS.lockstep[way.comes === "a directory" ? "a directory" : "refused"]
            assert.deepStrictEqual([exitCode, isReady], [2, false], about)
            assert.match(stderr.trimEnd().split("\n").at(-1)!, text, about)
          } else if (way.comes === "used" || way.comes === "nothing in it") {
            isClean(start, about)
            assert.deepStrictEqual(found, [way.comes === "used"], about)
            assert.include(log, "Config file: ", about)
          } else {
            assert.deepStrictEqual([exitCode, isReady, log], [1, false, ""], about)
            assert.match(stderr.trimEnd().split("\n").at(-1)!, TEXTS.bitcoind[way.comes], about)
          }
        }
        isClean(await site.run(), "the next start")
        assert.deepStrictEqual(damagedBelow(site.data), [])
      } finally {
        kinds.close()
        site.remove()
      }
    }, patience(60_000))
  }
})

describe("a configuration that is no regular file, in the background", () => {
  it("is read before the process that was started ends: nothing of it is lost under -daemon", async () => {
    const site = await makeSite("bitcoind -daemon")
    const kinds = await kindsIn(site, "bitcoind -daemon")
    try {
      for (const way of WAYS.filter(({ name }) => name === "a FIFO" || name === "standard input")) {
        const found: Array<boolean> = []
        const start = await site.run(arrivalsIn(found), { script: kinds.scriptOf(way) })
        isClean(start, way.name)
        assert.deepStrictEqual(found, [true], way.name)
      }
    } finally {
      kinds.close()
      site.remove()
    }
  }, patience(60_000))
})

describe("other files of bitcoind and its client that are no regular ones", () => {
  it(
    "are read as Bitcoin Core reads them, or refused at once: nothing waits for a writer, and nothing is lost",
    async () => {
      const site = await makeSite("bitcoind")
      const kinds = await kindsIn(site, "bitcoind")
      try {
        const fifo = kinds.at("fifo")
        const odd = ["fifo", "socket", "directory"].map(kinds.at)
        const start = await site.run(async (call) => {
          writeFileSync(kinds.at("file"), `regtest=1\n[regtest]\nrpcport=${site.port}\n`)
          const cookie = join(site.own, ".cookie")
          const asked = `exec ${CLIENT} -regtest -conf=<(cat ${
            kinds.at("file")
          }) -rpccookiefile=<(cat ${cookie}) getblockcount`
          const { stderr, stdout } = await promisify(execFile)("bash", ["-c", asked])
          assert.deepStrictEqual([stdout, stderr], ["0\n", ""])

          // A mempool is imported once the chain is in sync.
          await call("generatetodescriptor", 1, "raw(51)")
          const refusalOf = (method: string, ...params: ReadonlyArray<unknown>): Promise<string> =>
            call(method, ...params).then(() => "none", (error: unknown) => (error as Error).message)
          for (const path of odd) {
            assert.match(await refusalOf("dumptxoutset", path, "latest"), /already exists/, path)
            // A directory can be opened: only reading it fails.
            const refusal = path === kinds.at("directory")
              ? /Unable to parse metadata: AutoFile::read/
              : /Couldn't open file .* for reading/
            assert.match(await refusalOf("loadtxoutset", path), refusal, path)
            assert.match(await refusalOf("importmempool", path), /Unable to import mempool file/, path)
          }
        }, { words: odd.map((path) => `-loadblock=${path}`) })
        isClean(start, "with files of other kinds")
        for (const path of odd) assert.include(start.log, `Could not open blocks file ${path}`)

        // Where the node keeps something itself, another kind of file stays what it is.
        for (const name of ["peers.dat", "banlist.json", "mempool.dat", "fee_estimates.dat"]) {
          const path = join(site.own, name)
          execFileSync("bash", ["-c", `mv ${path} ${path}.mine; mkfifo ${path}`])
        }
        const beside = await site.run()
        isClean(beside, "with FIFOs in its data directory")
        for (const name of ["peers.dat", "banlist.json", "mempool.dat", "fee_estimates.dat"]) {
          const path = join(site.own, name)
          assert.include(beside.log, `${path}: it is a FIFO, not a file`)
          execFileSync("bash", ["-c", `[ -p ${path} ] && mv ${path}.mine ${path}`])
        }
        const notFiles = [
          [fifo, "a FIFO"],
          [kinds.at("socket"), "a socket or a device"],
          ["/dev/null", "a device"]
        ] as const
        for (const [path, what] of notFiles) {
          const { exitCode, stderr } = await site.run(undefined, { words: [`-settings=${path}`] })
          assert.strictEqual(exitCode, 1, path)
          assert.include(
            stderr,
            `Error: Settings file could not be read:\n- Cannot read ${path}: it is ${what}, not a file`
          )
        }
        for (const path of odd) {
          const { exitCode, stderr } = await site.run(undefined, { words: [`-asmap=${path}`] })
          assert.strictEqual(exitCode, 1, path)
          assert.include(stderr, `Could not parse asmap file "${path}"`)
        }

        // A cookie takes the place of what stands there, as in Bitcoin Core, and goes at the stop.
        const cookie = join(site.own, ".cookie")
        execFileSync("mkfifo", [cookie])
        isClean(await site.run(), "with a FIFO where the cookie is to be")
        assert.isFalse(existsSync(cookie))
        isClean(await site.run(), "the next start")
      } finally {
        kinds.close()
        site.remove()
      }
    },
    patience(60_000)
  )
})
