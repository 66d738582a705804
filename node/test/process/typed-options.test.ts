import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { patience } from "./patience.ts"
import { typedOptions } from "./typed-options.ts"

const USAGE = "pnpm test:something [options]"

/** What becomes of these words. */
const said = (args: ReadonlyArray<string>, hasNames = false): ReadonlyArray<unknown> => {
  const lines: Array<unknown> = []
  const ending = {
    show: (text: string) => void lines.push(text),
    complain: (text: string) => void lines.push(`error: ${text}`),
    exit: (code: number): never => {
      throw new Error(String(code))
    }
  }
  try {
    const { positionals, values } = typedOptions(
      USAGE,
      { seed: { type: "string", default: "7" }, quick: { type: "boolean", default: false } },
      { args, hasNames, ending }
    )
    return [values.seed, values.quick, ...positionals]
  } catch (error) {
    return [...lines, Number((error as Error).message)]
  }
}

describe("the options of a command of the tests", () => {
  it("are what was typed, or what holds without them", () => {
    assert.deepStrictEqual(said([]), ["7", false])
    assert.deepStrictEqual(said(["--seed", "8", "--quick"]), ["8", true])
    assert.deepStrictEqual(said(["a", "b"], true), ["7", false, "a", "b"])
  })

  it("--help shows how it is used", () => {
    assert.deepStrictEqual(said(["--help"]), [USAGE, 0])
  })

  it("an unknown option, a missing value and a word too many are named, with the usage", () => {
    assert.deepStrictEqual(said(["--frob"]), [`error: Unknown option '--frob'\n\n${USAGE}`, 2])
    assert.deepStrictEqual(said(["--seed"]), [`error: Option '--seed <value>' argument missing\n\n${USAGE}`, 2])
    assert.match(String(said(["frob"])[0]), /^error: Unexpected argument 'frob'/)
  })

  it("test:hostile --help and test:crash with an unknown option show how they are used", async () => {
    const run = (file: string, option: string): Promise<readonly [unknown, string, string]> =>
      new Promise((resolve) => {
        const path = fileURLToPath(new URL(file, import.meta.url))
        execFile(
          process.execPath,
          [path, option],
          (error, stdout, stderr) => resolve([error?.code ?? 0, stdout, stderr])
        )
      })
    const [helped, refused] = await Promise.all([
      run("../p2p/hostile/cli.ts", "--help"),
      run("../crash/cli.ts", "--frob")
    ])
    assert.strictEqual(helped[0], 0)
    assert.match(helped[1], /^pnpm test:hostile \[options\]\n {2}--/)
    assert.strictEqual(refused[0], 2)
    assert.match(refused[2], /^Unknown option '--frob'\n\npnpm test:crash \[options\]\n {2}--/)
  }, patience(60_000))
})
