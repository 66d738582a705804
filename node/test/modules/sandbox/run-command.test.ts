import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type RunningCommand, runCommand } from "../../../src/modules/sandbox/run-command.ts"
import { patience } from "../../process/patience.ts"

/** What a script of Node.js prints, line by line, until it has printed so many. */
const printed = Effect.fnUntraced(function*(script: string, count: number) {
  const lines: Array<string> = []
  const { ended }: RunningCommand = yield* runCommand({
    program: process.execPath,
    arguments: ["-e", script],
    directory: "/",
    environment: {},
    filter: undefined
  }, (line) => void lines.push(line))
  const ending = yield* ended
  const deadline = Date.now() + patience(5_000)
  while (lines.length < count && Date.now() < deadline) yield* Effect.promise(() => new Promise(setImmediate))
  return { ending, lines }
})

describe("what a module prints", () => {
  it.live("are its lines, the last one also without an end, and none that is empty", () =>
    Effect.gen(function*() {
      const { ending, lines } = yield* printed(
        "process.stderr.write('one\\n\\ntwo\\nwhy it ends'); process.exitCode = 3",
        3
      )
      assert.deepStrictEqual([lines, ending], [["one", "two", "why it ends"], "exited with code 3"])
    }))

  it.live("has characters whole whose bytes come apart", () =>
    Effect.gen(function*() {
      const script = `const { writeSync } = require("fs")
        writeSync(1, Buffer.from([0x61, 0xc3]))
        setTimeout(() => writeSync(1, Buffer.from([0xa9, 0x0a])), 200)`
      assert.deepStrictEqual((yield* printed(script, 1)).lines, ["a\u00e9"])
    }))

  it.live("is cut after a thousand characters a line", () =>
    Effect.gen(function*() {
      const { lines } = yield* printed("console.log('x'.repeat(5000) + '\\nnext')", 2)
      assert.deepStrictEqual([lines[0]!.length, lines[1]], [1_000, "next"])
    }))
})
