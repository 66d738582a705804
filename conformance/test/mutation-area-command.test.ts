import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const ROOT = join(import.meta.dirname, "../..")
const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [join(ROOT, "conformance/src/mutation/cli.ts"), ...args], {
    encoding: "utf8",
    env: { ...process.env, LOCKSTEP_VECTORS: "" }
  })

describe("pnpm mutation --area", () => {
  it.each<readonly [string, ReadonlyArray<string>, RegExp]>([
    [
      "an unknown area",
      ["--area", "moon"],
      /^there is no area moon: p2p, relay, engine, mempool, storage, coins, indexes, protocol/
    ],
    ["a seed that is none", ["--area", "coins", "--seed", "x"], /^--seed takes a number from 1/],
    ["no faults", ["--area", "coins", "--faults", "0"], /^--faults takes a number from 1/],
    [
      "an option of the kernel's runs",
      ["--area", "coins", "--folder", "script"],
      /^--folder is not for a run with --area/
    ],
    ["an option of its own without an area", ["--seed", "5"], /^--seed is not for a run without --area/]
  ])("refuses %s", (_, args, said) => {
    const { status, stderr, stdout } = run(...args)
    assert.deepStrictEqual([status, stdout], [2, ""])
    assert.match(stderr, said)
  })

  it(
    "plants a fault in a copy, notices it, and leaves the tree and no copy behind",
    () => {
      const before = readFileSync(join(ROOT, "node/src/coins/coin-codec.ts"), "utf8")
      const seed = "77"
      rmSync(join(ROOT, `.cache/mutation/coins-${seed}.jsonl`), { force: true })
      const place = mkdtempSync(join(tmpdir(), "mutation-"))
      try {
        const { status, stderr, stdout } = spawnSync(process.execPath, [
          join(ROOT, "conformance/src/mutation/cli.ts"),
          "--area",
          "coins",
          "--faults",
          "1",
          "--seed",
          seed,
          "--limit",
          "1"
        ], { encoding: "utf8", env: { ...process.env, TMPDIR: place } })
        assert.strictEqual(stderr, "")
        assert.match(stdout, /^coins: 1 of \d+ faults, seed 77\n(killed|refused|timeout|survived) /)
        assert.include([0, 1], status)
        assert.strictEqual(spawnSync("ls", [place], { encoding: "utf8" }).stdout.includes("lockstep-mutation-"), false)
        assert.isTrue(existsSync(join(ROOT, `.cache/mutation/coins-${seed}.jsonl`)))
        assert.strictEqual(readFileSync(join(ROOT, "node/src/coins/coin-codec.ts"), "utf8"), before)
      } finally {
        rmSync(place, { recursive: true, force: true })
      }
    }
  )
})
