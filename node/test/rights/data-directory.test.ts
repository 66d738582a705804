import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { lstatSync } from "node:fs"
import { join } from "node:path"
import { patience } from "../process/patience.ts"
import { bring, type Condition, CONDITIONS, contentAt, damagedBelow } from "./conditions.ts"
import { makeSite, type ProgramName, PROGRAMS, type Site } from "./programs.ts"

/** Programs by what they make of a data directory. */
type Kind = "lockstep" | "bitcoind"

/** One thing of the data directory, and what a start does that is kept from it. */
interface Row {
  /** Below the data directory. */
  readonly path: string
  /** The end: the last line of standard error names this. */
  readonly ends: RegExp
  /** Conditions in which it ends; in others it goes on. */
  readonly conditions: ReadonlyArray<Condition>
}

const NOT_READ: ReadonlyArray<Condition> = ["unreadable", "of another user", "a directory"]
const NOT_WRITTEN: ReadonlyArray<Condition> = ["unreadable", "unwritable", "of another user", "a directory"]

const row = (path: string, ends: RegExp, conditions = NOT_READ): Row => ({ path, ends, conditions })

/** Of both programs. */
const BLOCKS: ReadonlyArray<Row> = ["blk00000.dat", "rev00000.dat", "xor.dat"].map((name) =>
  row(`regtest/blocks/${name}`, new RegExp(`${name}: (?:permission is denied|it is a directory)`))
)

const ROWS: Readonly<Record<Kind, ReadonlyArray<Row>>> = {
  lockstep: [
    row(".", /Cannot create .*regtest: permission is denied/),
    row("regtest", /(?:Cannot lock|Cannot write) .*regtest\/(?:lock|\.cookie): permission is denied/, NOT_WRITTEN),
    row("regtest/lock", /Cannot lock .*\/lock: (?:permission is denied|it is a directory)/, NOT_WRITTEN),
    row("regtest/schema.json", /schema\.json: (?:permission is denied|it is a directory)/),
    row("regtest/blocks", /blocks.*: permission is denied/),
    ...BLOCKS,
    row("regtest/store-leveldb", /store-leveldb.*permission (?:is )?denied.*Give the user/i, NOT_WRITTEN)
  ],
  bitcoind: [
    row(".", /Give the user that runs the node the right/),
    row("regtest", /Unable to open settings file .*settings\.json\.tmp for writing/, NOT_WRITTEN),
    row("regtest/.lock", /Cannot write to directory '.*regtest'; check permissions\./, NOT_WRITTEN),
    row("regtest/settings.json", /settings\.json(?:\. Please check permissions\.|\.tmp to )/),
    row("regtest/debug.log", /Could not open debug log file .*debug\.log/, NOT_WRITTEN),
    row("regtest/blocks", /Cannot write to directory '.*blocks'; check permissions\./),
    row("regtest/blocks/.lock", /Cannot write to directory '.*blocks'; check permissions\./, NOT_WRITTEN),
    ...BLOCKS,
    row("regtest/chainstate", /Give the user that runs the node the right/),
    row("regtest/chainstate/schema.json", /schema\.json: (?:permission is denied|it is a directory)/),
    row("regtest/chainstate/store-leveldb", /store-leveldb.*permission (?:is )?denied.*Give the user/i, NOT_WRITTEN)
  ]
}

/** What a node starts without, as long as it cannot read it. */
const SPARED: Readonly<Record<Kind, ReadonlyArray<string>>> = {
  lockstep: ["peers.json", "banlist.json", "anchors.json", "mempool.dat", "fee_estimates.dat"],
  bitcoind: ["peers.dat", "banlist.json", "mempool.dat", "fee_estimates.dat"]
}

/** Behind the failure of a start in the background stands what Bitcoin Core's process says that waited for it. */
const WAITED = "Error during initialization - check debug.log for details"

const lastLineOf = (stderr: string): string => {
  const lines = stderr.trimEnd().split("\n")
  if (lines.at(-1) === WAITED) lines.pop()
  return lines.slice(-2).join(" ")
}

const kindOf = (name: ProgramName): Kind => name === "lockstep" ? name : "bitcoind"

/**
 * Which rows a program meets in a condition. How a start in the background passes its failure on has nothing to do with what
 * failed: it meets each row in one condition, and each condition in a part of the rows.
 */
const rowsOf = (name: ProgramName, condition: Condition): ReadonlyArray<Row> =>
  ROWS[kindOf(name)].filter(({ conditions }, place) =>
    conditions.includes(condition) &&
    (name !== "bitcoind -daemonwait" || conditions[place % conditions.length] === condition)
  )

const applies = ({ data }: Site, path: string, condition: Condition): boolean =>
  condition !== "a directory" || lstatSync(join(data, path)).isFile()

/** A chain of three blocks and a ban. */
const grow = async ({ run }: Site): Promise<void> => {
  const { exitCode, isReady, stderr } = await run(async (call) => {
    await call("generatetodescriptor", 3, "raw(51)")
    await call("setban", "192.0.2.0/24", "add", 86_400)
  })
  assert.deepStrictEqual([exitCode, isReady, stderr], [0, true, ""])
}

/** The next start, once rights are back, has everything and says nothing. */
const isClean = async ({ data, run }: Site): Promise<void> => {
  let found: unknown
  const { exitCode, isReady, log, stderr } = await run(async (call) => {
    const bans = await call("listbanned") as ReadonlyArray<{ readonly address: string }>
    found = [await call("getblockcount"), bans.map(({ address }) => address)]
  })
  assert.deepStrictEqual([exitCode, isReady, stderr, found], [0, true, "", [3, ["192.0.2.0/24"]]])
  assert.notMatch(log, /damaged|permission|leaves it as it is/)
  assert.deepStrictEqual(damagedBelow(data), [])
}

describe("what rights or a directory keep a node from is named, never taken for damaged, and there again afterwards", () => {
  let grown: Readonly<Record<Kind, Site>>

  beforeAll(async () => {
    grown = { lockstep: await makeSite("lockstep"), bitcoind: await makeSite("bitcoind") }
    await grow(grown.lockstep)
    await grow(grown.bitcoind)
  }, patience(60_000))

  afterAll(() => {
    grown.lockstep.remove()
    grown.bitcoind.remove()
  })

  for (const name of PROGRAMS) {
    it.each(CONDITIONS)(`%s: where ${name} cannot do without it, the start ends`, async (condition) => {
      const site = await makeSite(name, grown[kindOf(name)])
      try {
        for (const { ends, path } of rowsOf(name, condition)) {
          if (applies(site, path, condition)) {
            const about = `${path} ${condition}`
            const undo = bring(join(site.data, path), condition)
            const { exitCode, isReady, log, stderr } = await site.run().finally(undo)
            assert.deepStrictEqual([exitCode, isReady], [1, false], `${about}: ${stderr}`)
            assert.match(lastLineOf(stderr), ends, about)
            assert.notMatch(stderr, /^ +at /m, about)
            // What comes before the log is open stands on standard error alone.
            if (log.includes("Shutdown done")) assert.match(log.replaceAll("\\x0a", "\n"), ends, about)
            assert.deepStrictEqual(damagedBelow(site.data), [], about)
          }
        }
        await isClean(site)
      } finally {
        site.remove()
      }
    }, patience(60_000))

    it(`where ${name} can do without it: the start goes on, and what is there stays`, async () => {
      const site = await makeSite(name, grown[kindOf(name)])
      try {
        for (const condition of CONDITIONS) {
          const paths = SPARED[kindOf(name)].map((each) => join(site.own, each))
          const undo = paths.map((path) => bring(path, condition))
          const before = paths.map(contentAt)
          const { exitCode, isReady, log, stderr } = await site.run()
          assert.deepStrictEqual([exitCode, isReady, stderr], [0, true, ""], condition)
          if (condition !== "unwritable") {
            for (const path of paths) {
              assert.include(log, `${path}: ${condition === "a directory" ? "it is a" : "permi"}`)
            }
            assert.deepStrictEqual(paths.map(contentAt), before, condition)
          }
          for (const each of undo) each()
          assert.deepStrictEqual(damagedBelow(site.data), [], condition)
        }
        await isClean(site)
      } finally {
        site.remove()
      }
    }, patience(60_000))
  }
})
