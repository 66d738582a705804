import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { type CoreOption, GROUPS } from "../../src/bitcoind/options/core-option.ts"
import { optionsHelpText, optionText } from "../../src/bitcoind/process/help-text.ts"
import { openFileLimit } from "../../src/bitcoind/process/open-file-limit.ts"
import { runShellCommand } from "../../src/bitcoind/process/run-command.ts"
import { takeStopSignals } from "../../src/bitcoind/process/stop-signals.ts"
import { bindFaultText, systemErrorText, systemErrorWords } from "../../src/bitcoind/process/system-error.ts"

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-process-parts-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe("the help of all options", () => {
  const [first, second, third] = GROUPS as ReadonlyArray<CoreOption["group"]>
  const option = (name: string, group: CoreOption["group"] | undefined, shown = "always"): CoreOption =>
    ({ name, argument: "=<n>", about: `About ${name}`, group, shown }) as unknown as CoreOption
  const OPTIONS = [
    option("c", third),
    option("b2", first),
    option("b1", first),
    option("b3", first),
    option("test", first, "debug"),
    option("hidden", first, "never"),
    option("only", second, "debug")
  ]
  const textOf = (...names: ReadonlyArray<string>): string =>
    names.map((name) => optionText({ name, argument: "=<n>", about: `About ${name}` })).join("\n")

  it("has a group after the other, those with nothing to show left out, and the names of each in order", () => {
    assert.strictEqual(
      optionsHelpText(OPTIONS, false),
      `\nUsage:  bitcoind [options]\n\n${first}:\n\n${textOf("b1", "b2", "b3")}\n${third}:\n\n${textOf("c")}\n`
    )
  })

  it("has options for tests where these are asked for, and hidden ones never", () => {
    assert.strictEqual(
      optionsHelpText(OPTIONS, true),
      `\nUsage:  bitcoind [options]\n\n${first}:\n\n${textOf("b1", "b2", "b3", "test")}\n${second}:\n\n${
        textOf("only")
      }\n${third}:\n\n${textOf("c")}\n`
    )
  })
})

describe("the limit of open files", () => {
  it.runIf(process.platform === "linux")("is the soft one that the system names", () => {
    const line = readFileSync("/proc/self/limits", "latin1").split("\n").find((each) => each.startsWith("Max open"))!
    const soft = line.split(/ {2,}/)[1]!
    assert.strictEqual(openFileLimit(), soft === "unlimited" ? 1_048_576 : Number(soft))
  })
})

describe("a command with bytes that are not UTF-8", () => {
  it("reaches the shell byte for byte", async () => {
    const byte = String.fromCharCode(0xdcff)
    assert.isUndefined(await runShellCommand(`cd '${directory}' && printf '\t7%s' 'a1 "$"' > 'x${byte}7'`))
    const [name] = readdirSync(directory, { encoding: "buffer" })
    assert.deepStrictEqual([...name!], [0x78, 0xff, 0x37])
    const file = Buffer.concat([Buffer.from(`${directory}/`), name!])
    assert.strictEqual(readFileSync(file, "utf8"), "\t7a1 \"$\"")
  })
})

describe("an error of the system", () => {
  const errorOf = (code: string | undefined, errno?: number): Error => Object.assign(new Error("why"), { code, errno })

  it("has its number where there is one, and is as Node.js says it otherwise", () => {
    assert.strictEqual(systemErrorText(errorOf("EIO", -5)), "Input/output error (5)")
    assert.strictEqual(systemErrorText(errorOf("EIO")), "why")
    assert.strictEqual(systemErrorText(errorOf("EODD", -5)), "why")
    assert.strictEqual(systemErrorText(errorOf(undefined, -5)), "why")
    assert.strictEqual(systemErrorWords(errorOf("EROFS", -30)), "Read-only file system")
    assert.strictEqual(systemErrorWords(errorOf("EODD", -5)), "why")
    assert.strictEqual(systemErrorWords(errorOf(undefined)), "why")
  })

  it.each<readonly [string, string]>([
    ["EADDRINUSE", "Unable to bind to a:1 on this computer. Bitcoin Core is probably already running."],
    [
      "EADDRNOTAVAIL",
      "Unable to bind to a:1 on this computer (bind returned error Cannot assign requested address (99))"
    ],
    ["EPROTO", "Unable to bind to a:1 on this computer (bind returned error EPROTO (71))"],
    ["EODD", "Unable to bind to a:1 on this computer (bind returned error EODD)"]
  ])("%s that keeps a socket from its address is said in Bitcoin Core's words", (code, text) => {
    assert.strictEqual(bindFaultText("a:1", code), text)
  })
})

describe("signals that stop bitcoind", () => {
  const NAMES = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  const before = NAMES.map((name) => process.listeners(name))
  afterEach(() => {
    for (const [i, name] of NAMES.entries()) {
      for (const each of process.listeners(name)) if (!before[i]!.includes(each)) process.off(name, each)
    }
  })

  it.each([["SIGINT", true], ["SIGTERM", true], ["SIGHUP", false]] as const)(
    "are kept from when they are taken: %s stops it: %s",
    (name, stops) => {
      const { came } = takeStopSignals()
      assert.isFalse(came())
      const [mine] = process.listeners(name).slice(-1)
      mine!(name)
      assert.strictEqual(came(), stops)
    }
  )
})
