import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { argsOf, misplaced } from "../../src/bitcoind/args/args.ts"
import { readConfText } from "../../src/bitcoind/args/conf-text.ts"
import { addConfValues, type ConfValues } from "../../src/bitcoind/args/conf-values.ts"
import { optionKey, readValue } from "../../src/bitcoind/args/option-key.ts"
import {
  flagOf,
  leadingInteger,
  settingBoolean,
  settingInteger,
  settingText,
  type SettingValue
} from "../../src/bitcoind/args/setting-value.ts"
import { isOnlyInDefaultSection, settingOf, type SettingSources, settingsOf } from "../../src/bitcoind/args/settings.ts"

describe("a value of an option", () => {
  it.each<readonly [SettingValue, text: string, integer: bigint, flag: boolean]>([
    ["", "", 0n, true],
    ["0", "0", 0n, false],
    ["00", "00", 0n, false],
    ["-1", "-1", -1n, true],
    ["true", "true", 0n, false],
    [" \t12x", " \t12x", 12n, true],
    ["9223372036854775808", "9223372036854775808", 2n ** 63n - 1n, true],
    ["-9223372036854775808", "-9223372036854775808", -(2n ** 63n), true],
    ["-9223372036854775809", "-9223372036854775809", -(2n ** 63n), true],
    [true, "1", 1n, true],
    [false, "0", 0n, false],
    [5, "5", 5n, true],
    [0, "0", 0n, false],
    [null, "null", 0n, false],
    [[1, "a"], "[1,\"a\"]", 0n, false]
  ])("%j is a text, a number and a switch", (value, text, integer, flag) => {
    assert.deepStrictEqual([settingText(value), settingInteger(value), flagOf(value)], [text, integer, flag])
  })

  it("is a number by its first digits", () => {
    assert.deepStrictEqual(["+-1", "+ 1", "1 2", "\n7"].map(leadingInteger), [0n, 0n, 1n, 7n])
    assert.deepStrictEqual(["", "x", "0x1", "2"].map(settingBoolean), [true, false, false, true])
  })
})

describe("the key of an option", () => {
  it.each([
    ["listen", { section: "", name: "listen", negated: false }],
    ["nolisten", { section: "", name: "listen", negated: true }],
    ["regtest.nolisten", { section: "regtest", name: "listen", negated: true }],
    ["a.b.c", { section: "a", name: "b.c", negated: false }],
    [".x", { section: "", name: "x", negated: false }]
  ])("%s has its parts", (text, parts) => {
    assert.deepStrictEqual(optionKey(text), parts)
  })

  const read = (key: string, text: string | undefined, facts = {}) => {
    const outcome = readValue(optionKey(key), text, { name: "x", ...facts })
    return Result.isFailure(outcome) ? outcome.failure : outcome.success
  }
  const doubled = { value: true, warning: "Parsed potentially confusing double-negative -x=0" }
  it.each<readonly [string, string | undefined, object, unknown]>([
    ["x", "5", {}, { value: "5" }],
    ["x", undefined, {}, { value: "" }],
    ["x", undefined, { noElision: true }, "Can not set -x with no value. Please specify value with -x=value."],
    ["x", "", { noElision: true }, { value: "" }],
    ["nox", undefined, {}, { value: false }],
    ["nox", "1", {}, { value: false }],
    ["nox", "", {}, { value: false }],
    ["nox", "0", {}, doubled],
    ["nox", undefined, { noNegation: true }, "Negating of -x is meaningless and therefore forbidden"],
    ["nox", undefined, { noElision: true }, { value: false }]
  ])("%s with %j and %j has its value", (key, text, facts, expected) => {
    assert.deepStrictEqual(read(key, text, facts), expected)
  })
})

describe("the text of a configuration file", () => {
  const read = (text: string) => {
    const outcome = readConfText("f", text)
    return Result.isFailure(outcome) ? outcome.failure : outcome.success
  }

  it("has keys with their sections, and the place of each section", () => {
    const text = "a=1\n\n # no\n b = c = d \r\n[x]\ny=#z\n[]\nk=\nq.r=1\n[x\n=".replace("[x\n=", "[x=1\n=5")
    assert.deepStrictEqual(read(text), {
      entries: [
        { key: "a", value: "1" },
        { key: "b", value: "c = d" },
        { key: "x.y", value: "" },
        { key: ".k", value: "" },
        { key: ".q.r", value: "1" },
        { key: ".[x", value: "1" },
        { key: ".", value: "5" }
      ],
      sections: [{ name: "x", file: "f", line: 5 }, { name: "", file: "f", line: 7 }, {
        name: ".q",
        file: "f",
        line: 9
      }]
    })
  })

  it("has a section without a name before a key that begins with a dot", () => {
    assert.deepStrictEqual(read(".x=1"), {
      entries: [{ key: ".x", value: "1" }],
      sections: [{ name: "", file: "f", line: 1 }]
    })
  })

  it.each([
    ["a=1\nb", "parse error on line 2: b"],
    ["[a", "parse error on line 1: [a"],
    ["a]", "parse error on line 1: a]"],
    ["nob # c", "parse error on line 1: nob, if you intended to specify a negated option, use nob=1 instead"],
    ["-b", "parse error on line 1: -b, options in configuration file must be specified without leading -"],
    [
      "[main]\nrpcpassword=a # b",
      "parse error on line 2, using # in rpcpassword can be ambiguous and should be avoided"
    ]
  ])("is refused in Bitcoin Core's words: %j", (text, message) => {
    assert.strictEqual(read(text), message)
  })

  it("adds values up in their order, and says what is odd", () => {
    const into: ConfValues = new Map()
    const known = new Map(["a", "reindex"].map((name) => [name, { name }]))
    const added = addConfValues(
      into,
      [["a", "1"], ["reindex", "1"], ["s.a", "2"], ["zz", "3"], ["a", "4"], ["noa", "0"]].map(([key, value]) => ({
        key: key!,
        value: value!
      })),
      known
    )
    assert.deepStrictEqual(
      added,
      Result.succeed([
        "reindex=1 is set in the configuration file, which will significantly slow down startup. Consider removing or commenting out this option for better performance, unless there is currently a condition which makes rebuilding the indexes necessary",
        "Ignoring unknown configuration value zz",
        "Parsed potentially confusing double-negative -a=0"
      ])
    )
    assert.deepStrictEqual(into.get("")!.get("a"), ["1", "4", true])
    assert.deepStrictEqual(into.get("s")!.get("a"), ["2"])
    assert.isTrue(Result.isFailure(addConfValues(into, [{ key: "main.conf", value: "x" }], known)))
  })
})

interface Given {
  readonly forced?: SettingValue
  readonly line?: ReadonlyArray<SettingValue>
  readonly saved?: SettingValue
  readonly section?: ReadonlyArray<SettingValue>
  readonly outside?: ReadonlyArray<SettingValue>
}

const sources = ({ forced, line = [], outside = [], saved, section = [] }: Given): SettingSources => ({
  forced: new Map(forced === undefined ? [] : [["x", forced]]),
  commandLine: new Map([["x", line]]) as never,
  saved: new Map(saved === undefined ? [] : [["x", saved]]),
  conf: new Map([["s", new Map([["x", [...section]]])], ["", new Map([["x", [...outside]]])]])
})

describe("the places of an option", () => {
  const all: Given = { forced: "f", line: ["c1", "c2"], saved: "w", section: ["s1", "s2"], outside: ["o1", "o2"] }
  const { forced: _, ...typed } = all
  const { line: __, ...kept } = typed
  const { saved: ___, ...filed } = kept
  it.each<readonly [Given, SettingValue | undefined, ReadonlyArray<SettingValue>]>([
    [all, "f", ["f", "s1", "s2", "o1", "o2"]],
    [typed, "c2", ["c1", "c2", "w", "s1", "s2", "o1", "o2"]],
    [kept, "w", ["w", "s1", "s2", "o1", "o2"]],
    [filed, "s1", ["s1", "s2", "o1", "o2"]],
    [{ outside: ["o1", "o2"] }, "o1", ["o1", "o2"]],
    [{}, undefined, []],
    [{ line: ["a", false], section: ["s"] }, false, []],
    [{ line: [false, "b"], saved: "w", section: ["s"] }, "b", ["b", "s"]],
    [{ section: ["s", false], outside: ["o"] }, false, []],
    [{ section: [false, "t", "u"], outside: ["o"] }, "t", ["t", "u", "o"]],
    [{ saved: ["a", "b"], outside: ["o"] }, ["a", "b"], ["a", "b", "o"]],
    [{ saved: false, outside: ["o"] }, false, []],
    [{ line: ["a"], saved: false, section: ["s"] }, "a", ["a", "s"]]
  ])("give one value and all, the strongest first: %j", (given, one, list) => {
    assert.deepStrictEqual(settingOf(sources(given), "s", "x"), one)
    assert.deepStrictEqual(settingsOf(sources(given), "s", "x"), list)
  })

  it("leave out what stands outside of sections where it does not count, but for a negation", () => {
    const ignoring = { ignoreDefaultSection: true }
    assert.isUndefined(settingOf(sources({ outside: ["o"] }), "s", "x", ignoring))
    assert.isFalse(settingOf(sources({ outside: [false] }), "s", "x", ignoring))
    assert.strictEqual(settingOf(sources({ section: ["s"], outside: ["o"] }), "s", "x", ignoring), "s")
    assert.deepStrictEqual(settingsOf(sources({ section: ["s"], outside: ["o"] }), "s", "x", true), ["s"])
    assert.strictEqual(settingOf(sources({ section: ["s"], outside: ["o"] }), "", "x"), "o")
  })

  it("give the last value of a file that chooses the chain, and no negation of it", () => {
    const chosen = { isChainType: true }
    assert.strictEqual(settingOf(sources({ outside: ["1", "0"] }), "", "x", chosen), "0")
    assert.strictEqual(settingOf(sources({ line: [false], outside: ["1"] }), "", "x", chosen), "1")
  })

  it("say whether an option stands outside of sections alone, which is misplaced on another chain than main", () => {
    const only = (given: Given): boolean => isOnlyInDefaultSection(sources(given), "s", "x")
    assert.deepStrictEqual(
      [{ outside: ["o"] }, { outside: ["o"], section: ["s"] }, { outside: ["o"], line: ["c"] }, {}].map(only),
      [true, false, false, false]
    )
    assert.isTrue(only({ outside: ["o"], section: [false] }))
    const known = new Map([["x", { name: "x", networkOnly: true }], ["y", { name: "y" }]])
    const settings = sources({ outside: ["o"] })
    assert.deepStrictEqual([misplaced(settings, "s", known), misplaced(settings, "main", known)], [["x"], []])
    const swapped = new Map([["x", { name: "x" }], ["y", { name: "y", networkOnly: true }]])
    assert.deepStrictEqual(misplaced(settings, "s", swapped), [])
    const [args, free] = [argsOf(settings, "s", known), argsOf(settings, "main", known)]
    assert.deepStrictEqual([args.isSet("x"), args.list("x"), free.text("x"), free.list("x")], [false, [], "o", ["o"]])
    assert.deepStrictEqual([free.isNegated("x"), free.flag("x"), free.integer("x"), free.flag("y")], [
      false,
      false,
      0n,
      undefined
    ])
    const negated = argsOf(sources({ line: [false] }), "s", known)
    assert.deepStrictEqual([negated.isSet("x"), negated.isNegated("x"), negated.text("x")], [true, true, "0"])
  })
})
