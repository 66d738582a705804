import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { runBitcoind } from "./bitcoind-process.ts"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const failureOf = (...words: ReadonlyArray<string>): string => {
  const read = home.read(...words)
  return Result.isFailure(read) ? read.failure : "no failure"
}

const advised = (operation: string, reason: string, path: string, advice: string): string =>
  `filesystem error: ${operation}: ${reason} [${path}]\n${advice}`

describe("a data directory that the file system refuses", () => {
  it("ends the start in Bitcoin Core's words where a part of the path is a file", () => {
    home.write("regtest", "a file")
    // What exists is not made anew, so the first thing that fails is the file in it.
    assert.strictEqual(
      failureOf("-regtest"),
      `Settings file could not be written:\n- Error: Unable to open settings file ${
        join(home.base, "regtest/settings.json.tmp")
      } for writing`
    )
    writeFileSync(join(home.machine.home, "file"), "")
    assert.match(
      failureOf(`-datadir=${join(home.machine.home, "file")}`),
      /^Specified data directory .* does not exist\.$/
    )
  })

  it("ends the start in Bitcoin Core's words where nothing can be made in it", () => {
    const base = "/proc"
    assert.strictEqual(
      failureOf("-regtest", `-datadir=${base}`),
      advised(
        "cannot create directories",
        "No such file or directory",
        "/proc/regtest",
        "Check the path, or choose another -datadir."
      )
    )
  })

  it("ends the start in Bitcoin Core's words where symbolic links lead in a circle or a name is too long", () => {
    const long = join(home.base, "x".repeat(300))
    assert.match(failureOf("-regtest", `-datadir=${long}`), /^filesystem error: status: File name too long \[.*x\]\n/)
  })

  it("is named by the option that chose it where it is that of the blocks", () => {
    const long = "x".repeat(300)
    const plan = home.plan("-regtest", `-blocksdir=${long}`)
    const [problem] = Result.isFailure(plan) ? plan.failure.problems : []
    assert.match(
      problem ?? "",
      /^filesystem error: status: File name too long \[.*x\]\nCheck the path, or choose another -blocksdir\.$/
    )
  })

  it("ends the program with exit code 1, two lines and no stack, also as a daemon", async () => {
    for (const words of [[], ["-daemon"], ["-daemonwait"]]) {
      const { exitCode, stderr, stdout } = await runBitcoind(["-regtest", "-datadir=/proc", ...words]).ended
      assert.strictEqual(exitCode, 1)
      assert.deepStrictEqual([stdout, stderr.split("\n")], ["", [
        "Error: filesystem error: cannot create directories: No such file or directory [/proc/regtest]",
        "Check the path, or choose another -datadir.",
        ""
      ]])
    }
  })
})
