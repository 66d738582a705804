import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { moduleEnvironment } from "../src/run/environment.ts"
import { type SettingDefaults, settingsOf } from "../src/run/settings.ts"

/** What a setting with a default comes to when the operator writes `text`, or the refusal. */
const valueOf = (text: string, standard: SettingDefaults[string]): unknown => {
  try {
    return settingsOf(new Map([["a", text]]), { a: standard, b: 1 })
  } catch (error) {
    return (error as Error).message
  }
}

describe("a setting of a module", () => {
  it.each<readonly [text: string, standard: SettingDefaults[string], value: unknown]>([
    ["x", "", "x"],
    ["", "x", ""],
    [" 5 ", "", " 5 "],
    ["5", 1, 5],
    ["-0.5", 1, -0.5],
    ["1e3", 1, 1_000],
    ["0", 1, 0],
    ["true", false, true],
    ["false", true, false],
    ["a, b,,c ", ["x"], ["a", "b", "c"]],
    ["", ["x"], []],
    ["[\"a,b\", \"c\"]", ["x"], ["a,b", "c"]],
    ["[]", ["x"], []]
  ])("written as %j over %j is %j, and the others keep their defaults", (text, standard, value) => {
    assert.deepStrictEqual(valueOf(text, standard), { a: value, b: 1 })
  })

  it.each<readonly [text: string, standard: SettingDefaults[string], wanted: string]>([
    ["", 1, "a number"],
    [" ", 1, "a number"],
    ["five", 1, "a number"],
    ["1e999", 1, "a number"],
    ["yes", true, "true or false"],
    ["True", false, "true or false"],
    ["[\"a\", 1]", ["x"], "a list of texts"],
    ["[\"a\"", ["x"], "a list of texts"]
  ])("written as %j over %j is refused", (text, standard, wanted) => {
    assert.strictEqual(valueOf(text, standard), `the setting a must be ${wanted}, and is ${text}`)
  })

  it("that a module without settings is given is refused", () => {
    assert.throws(() => settingsOf(new Map([["a", "1"]]), {}), "unknown setting \"a\" (settings of this module: none)")
  })
})

let directory = ""
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), "lockstep-sdk-settings-"))))
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const VARIABLES = { MODULE_NAME: "a", MODULE_ID: "b", SOCKET_PATH: "c", DATA_DIR: "d" }

describe("the environment of a module", () => {
  it("has the name, the secret, the socket and the directory that the node gives", () => {
    const { settings, ...rest } = moduleEnvironment(VARIABLES, undefined)
    assert.deepStrictEqual(rest, { name: "a", moduleId: "b", socketPath: "c", dataDirectory: "d" })
    assert.strictEqual(settings.size, 0)
  })

  it.each(Object.keys(VARIABLES))("is none without %s", (name) => {
    for (const value of [undefined, ""]) {
      assert.throws(
        () => moduleEnvironment({ ...VARIABLES, [name]: value }, undefined),
        `${name} is not set: a module is started by its node`
      )
    }
  })

  it("has settings of every kind from the file beside the manifest, and those in variables precede them", () => {
    writeFileSync(join(directory, "module.toml"), "")
    const lines = [
      "Max-Size = 7",
      "text = \"x\"",
      "on = true",
      "list = [\"a\"]",
      "when = 2026-01-02T03:04:05Z",
      "every = 1",
      "[table]",
      "a = 1"
    ]
    writeFileSync(join(directory, "config.toml"), lines.join("\n"))
    const variables = { ...VARIABLES, MODULE_CONFIG_EVERY: "5", MODULE_CONFIG_NEW_ONE: "6", OTHER: "7" }
    const { settings } = moduleEnvironment(variables, join(directory, "run"))
    assert.match(settings.get("when") ?? "", /2026/)
    assert.deepStrictEqual(Object.fromEntries([...settings].filter(([name]) => name !== "when")), {
      max_size: "7",
      text: "x",
      on: "true",
      list: "[\"a\"]",
      every: "5",
      table: "{\"a\":1}",
      new_one: "6"
    })
  })

  it("has no settings of a file that stands beside no manifest", () => {
    writeFileSync(join(directory, "config.toml"), "every = 1\n")
    assert.strictEqual(moduleEnvironment(VARIABLES, join(directory, "run")).settings.size, 0)
    mkdirSync(join(directory, "below"))
    writeFileSync(join(directory, "module.toml"), "")
    assert.strictEqual(moduleEnvironment(VARIABLES, join(directory, "below", "run")).settings.size, 0)
  })
})
