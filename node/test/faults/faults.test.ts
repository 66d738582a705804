import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CALLS, type Fault, faultText } from "./fault.ts"
import { faultEnvironment, makeFaultLibrary } from "./fault-library.ts"
import { faultRounds } from "./rounds.ts"
import type { SeriesOptions } from "./sample.ts"
import { patience } from "../process/patience.ts"

const fault = (rest: Partial<Fault>): Fault => ({ call: "write", at: 1, error: "EIO", cut: false, after: [], ...rest })

const inDirectory = (use: (directory: string) => void): void => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-fault-"))
  try {
    use(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Writes, syncs, renames and removes a file, and says what came of each. */
const PROGRAM = `
const fs = require("node:fs")
const [file] = process.argv.slice(1)
const said = []
const attempt = (name, run) => { try { said.push(name + " " + (run() ?? "done")) } catch (error) { said.push(name + " " + error.code) } }
let descriptor
attempt("open", () => void (descriptor = fs.openSync(file, "w")))
for (let i = 0; i < 3; i++) attempt("write", () => fs.writeSync(descriptor, Buffer.alloc(10), 0, 10, i * 10))
attempt("fsync", () => fs.fsyncSync(descriptor))
attempt("ftruncate", () => fs.ftruncateSync(descriptor, 5))
attempt("rename", () => fs.renameSync(file, file + ".new"))
attempt("unlink", () => fs.unlinkSync(file + ".new"))
console.log(said.join(", "))`

describe("the library that makes system calls fail", () => {
  const GOOD = "open done, write 10, write 10, write 10, fsync done, ftruncate done, rename done, unlink done"
  const TOO_LATE = fault({ call: "rename", at: 2 })
  const CASES: ReadonlyArray<readonly [Fault, string]> = [
    [fault({ at: 2 }), GOOD.replace("write 10, write 10", "write 10, write EIO")],
    // Node.js itself writes the rest, if it can.
    [fault({ at: 2, cut: true }), GOOD],
    [
      fault({ at: 2, cut: true, after: ["write"] }),
      GOOD.replace("write 10, write 10, write 10", "write 10, write 5, write EIO")
    ],
    [
      fault({ at: 2, error: "ENOSPC", after: ["write", "ftruncate"] }),
      GOOD.replace("write 10, write 10, write 10", "write 10, write ENOSPC, write ENOSPC").replace(
        "ftruncate done",
        "ftruncate ENOSPC"
      )
    ],
    [fault({ call: "fsync" }), GOOD.replace("fsync done", "fsync EIO")],
    [fault({ call: "unlink", error: "ENOSPC" }), GOOD.replace("unlink done", "unlink ENOSPC")],
    [fault({ call: "rename" }), GOOD.replace("rename done, unlink done", "rename EIO, unlink ENOENT")],
    [TOO_LATE, GOOD]
  ]
  it("makes the n-th call under its directory fail as asked, and no other", () => {
    inDirectory((directory) => {
      const library = makeFaultLibrary(directory)
      for (const [i, [each, expected]] of CASES.entries()) {
        const [under, beside, report] = ["data", "data-beside", "report"].map((name) =>
          join(directory, `${i}`, name)
        ) as [string, string, string]
        for (const [place, answer] of [[under, expected], [beside, GOOD]] as const) {
          mkdirSync(place, { recursive: true })
          const env = { ...process.env, ...faultEnvironment(each, { library, under, armed: undefined, report }) }
          const { stderr, stdout } = spawnSync(process.execPath, ["-e", PROGRAM, join(place, "file")], {
            encoding: "utf8",
            env
          })
          assert.strictEqual(stdout.trim(), answer, `${faultText(each)} ${stderr}`)
          assert.strictEqual(existsSync(report), place === under && each !== TOO_LATE, faultText(each))
          rmSync(report, { force: true })
        }
      }
    })
  })
})

const SERIES: ReadonlyArray<readonly [SeriesOptions, ReadonlyArray<readonly [scenario: string, fault: Fault]>]> = [
  [{ backend: "heed3", indexes: true, prunes: false }, [
    ["mine", fault({ call: "fsync", after: CALLS })],
    ["import", fault({ at: 6, error: "ENOSPC", after: ["write", "ftruncate"] })],
    ["rebuild", fault({ call: "rename" })]
  ]],
  [{ backend: "leveldb", indexes: false, prunes: false }, [
    ["reorganise", fault({ at: 2, after: CALLS })],
    ["first start", fault({ call: "fsync", at: 4, error: "ENOSPC" })],
    ["start", fault({ at: 1 })]
  ]]
]

// A few of the faults that `pnpm test:faults` makes hundreds of.
describe("a node whose disk fails", () => {
  for (const [series, plan] of SERIES) {
    it(`names the cause and loses nothing (${series.backend})`, { timeout: patience(900_000) }, async () => {
      const counts = await faultRounds({ series, plan, rounds: plan.length, seed: 1 })
      assert.deepStrictEqual([counts.rounds, counts.missed, counts.findings], [plan.length, 0, 0])
      assert.isAbove(counts.reported, 0)
    })
  }
})
