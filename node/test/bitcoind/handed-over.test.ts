import { fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { isTakenOver, readConfiguration, readSoFar, takeOver } from "../../src/bitcoind/process/handed-over.ts"
import { runShellCommand, safeText } from "../../src/bitcoind/process/run-command.ts"

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-handed-over-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

describe("the configuration that bitcoind passes to its background process", () => {
  it("is what it has read, as bytes, by path", () => {
    const file = join(directory, "a.conf")
    writeFileSync(file, Uint8Array.of(0x61, 0xff))
    assert.deepStrictEqual([...readConfiguration(file)], [0x61, 0xff])
    const handed = JSON.parse(readSoFar()) as Readonly<Record<string, string>>
    assert.strictEqual(handed[file], "Yf8=")
    assert.isFalse(isTakenOver(file))
    assert.throws(() => readConfiguration(join(directory, "none")), /ENOENT/)
  })

  it("is read from there, once its descriptor was read and closed, and handed on", () => {
    const [handed, gone] = [join(directory, "handed"), join(directory, "gone.conf")]
    writeFileSync(handed, JSON.stringify({ [gone]: "Yv8=" }))
    const descriptor = openSync(handed, "r")
    takeOver(descriptor)
    assert.throws(() => fstatSync(descriptor), /EBADF/)
    assert.isTrue(isTakenOver(gone))
    assert.deepStrictEqual([...readConfiguration(gone)], [0x62, 0xff])
    assert.strictEqual((JSON.parse(readSoFar()) as Readonly<Record<string, string>>)[gone], "Yv8=")
  })

  it("closes its descriptor where that holds something else", () => {
    const file = join(directory, "other")
    writeFileSync(file, "no JSON")
    const descriptor = openSync(file, "r")
    assert.throws(() => takeOver(descriptor))
    assert.throws(() => fstatSync(descriptor), /EBADF/)
  })
})

describe("a command of the operator", () => {
  it.each<readonly [string, number | undefined]>([
    ["exit 0", undefined],
    ["exit 1", 256],
    ["exit 255", 65_280],
    ["kill -9 $$", 9],
    ["kill -TERM $$", 15],
    ["no-such-command-here", 127 * 256]
  ])("%s is said to have failed or not, in the numbers of wait(2)", async (command, code) => {
    const text = code === undefined ? undefined : `runCommand error: system(${command}) returned ${code}`
    assert.strictEqual(await runShellCommand(command), text)
  })

  it("has of a text what no shell acts on", () => {
    assert.strictEqual(safeText("aZ09 .,;-_/:?@()"), "aZ09 .,;-_/:?@()")
    assert.strictEqual(safeText("a'\"`$&|<>\\\n{}[]!#*%ü"), "a")
  })
})
