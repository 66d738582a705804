import { assert, describe, it } from "@effect/vitest"
import { progressOn } from "../../src/cli/progress.ts"

const recorded = (isTTY: boolean) => {
  const written: Array<string> = []
  let time = 0
  const display = progressOn({ isTTY, write: (text) => written.push(text) }, () => time)
  return { written, display, wait: (milliseconds: number) => void (time += milliseconds) }
}

describe("progressOn", () => {
  it("a bar stays on its line, is not drawn too often, and leaves the screen tidy", () => {
    const { display, wait, written } = recorded(true)
    display.report({ task: "import", done: 0, total: 1_000 })
    wait(50)
    display.report({ task: "import", done: 100, total: 1_000 })
    wait(9_950)
    display.report({ task: "import", done: 500, total: 1_000 })
    display.report({ task: "import", done: 1_000, total: 1_000 })
    display.end()
    display.end()
    assert.strictEqual(written.length, 4)
    assert.include(written[1], `[${"#".repeat(15)}${".".repeat(15)}] import: 500 of 1,000 (50 %), 0:10 left`)
    assert.isTrue(written.slice(0, 3).every((text) => text.startsWith("\r\u001B[K") && !text.includes("\n")))
    assert.strictEqual(written[3], "\n")
  })

  it("elsewhere there are plain lines: at the start of a task, now and then, and when it is done", () => {
    const { display, wait, written } = recorded(false)
    display.report({ task: "verify", done: 0, total: 10 })
    for (let done = 1; done <= 10; done++) {
      wait(4_000)
      display.report({ task: "verify", done, total: 10 })
    }
    display.report({ task: "verify", done: 10, total: 10 })
    display.report({ task: "index", done: 1_234_567, total: 0 })
    display.end()
    assert.deepStrictEqual(written, [
      "verify: 0 of 10 (0 %)\n",
      "verify: 3 of 10 (30 %), 0:28 left\n",
      "verify: 6 of 10 (60 %), 0:16 left\n",
      "verify: 9 of 10 (90 %), 0:04 left\n",
      "verify: 10 of 10 (100 %), 0:00 left\n",
      "index: 1,234,567\n"
    ])
  })
})
