import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const conf = (...lines: ReadonlyArray<string>): void => home.write("bitcoin.conf", `${lines.join("\n")}\n`)

const given = (...words: ReadonlyArray<string>) =>
  Result.getOrThrowWith(home.read(...words), (message) => new Error(message))

const failure = (...words: ReadonlyArray<string>): string | undefined => {
  const read = home.read(...words)
  return Result.isFailure(read) ? read.failure : undefined
}

const faultOf = (...lines: ReadonlyArray<string>): string | undefined => {
  conf(...lines)
  return failure()?.replace("Error reading configuration file: ", "")
}

describe("bitcoin.conf", () => {
  it("is cut at # and trimmed, and has sections", () => {
    conf("regtest=1 # tests", " par = 2\t", "[regtest]", "par=3", "rpcport=18999", "[main]", "par=4", "test.par=5")
    const { args, chain } = given()
    assert.strictEqual(chain, "regtest")
    assert.strictEqual(args.integer("par"), 3n)
    assert.strictEqual(args.text("rpcport"), "18999")
  })

  it("gives the first value, behind the command line and settings.json", () => {
    conf("chain=regtest", "par=2", "par=3")
    assert.strictEqual(given().args.integer("par"), 2n)
    assert.strictEqual(given("-par=5", "-par=6").args.integer("par"), 6n)
    home.write("regtest/settings.json", "{\"par\": 7}")
    assert.strictEqual(given().args.integer("par"), 7n)
    assert.strictEqual(given("-par=5").args.integer("par"), 5n)
    assert.strictEqual(given("-nosettings").args.integer("par"), 2n)
  })

  it("adds lists up, strongest place first", () => {
    conf("chain=regtest", "uacomment=d1", "uacomment=d2", "[regtest]", "uacomment=s1", "uacomment=s2")
    assert.deepStrictEqual(given("-uacomment=c1", "-uacomment=c2").args.list("uacomment"), [
      "c1",
      "c2",
      "s1",
      "s2",
      "d1",
      "d2"
    ])
    assert.deepStrictEqual(given("-nouacomment").args.list("uacomment"), [])
    assert.deepStrictEqual(given("-nouacomment", "-uacomment=x").args.list("uacomment"), ["x", "s1", "s2", "d1", "d2"])
  })

  it("says what is wrong with a line in Bitcoin Core's words", () => {
    assert.strictEqual(faultOf("x"), "parse error on line 1: x")
    assert.strictEqual(
      faultOf("", "nolisten"),
      "parse error on line 2: nolisten, if you intended to specify a negated option, use nolisten=1 instead"
    )
    assert.strictEqual(
      faultOf("-par=1"),
      "parse error on line 1: -par=1, options in configuration file must be specified without leading -"
    )
    assert.strictEqual(
      faultOf("rpcpassword=a#b"),
      "parse error on line 1, using # in rpcpassword can be ambiguous and should be avoided"
    )
    assert.strictEqual(
      faultOf("conf=x"),
      "conf cannot be set in the configuration file; use includeconf= if you want to include additional config files"
    )
    assert.strictEqual(faultOf("datadir=/no/such/place"), "specified data directory \"/no/such/place\" does not exist.")
  })

  it("warns of unknown keys and sections, and goes on", () => {
    conf("regtest=1", "nosuch=1", "main.zzz=1", "[moon]", "par=1")
    const { stderr, warnings } = given()
    assert.include(warnings, `${join(home.base, "bitcoin.conf")}:4 Section [moon] is not recognized.`)
    assert.include(warnings, "Ignoring unknown configuration value nosuch")
    assert.include(warnings, "Ignoring unknown configuration value main.zzz")
    assert.deepStrictEqual(stderr, [
      `Warning: ${join(home.base, "bitcoin.conf")}:4 Section [moon] is not recognized.\n`
    ])
  })

  it("includes files of the section and outside, whose values come behind", () => {
    conf("regtest=1", "includeconf=a.conf", "[regtest]", "includeconf=b.conf", "par=2")
    home.write("a.conf", "uacomment=a\nincludeconf=c.conf\n[regtest]\npar=9\n")
    home.write("b.conf", "uacomment=b\n")
    const { args, conf: files, stderr } = given()
    assert.deepStrictEqual(files.included, ["b.conf", "a.conf"])
    assert.strictEqual(args.integer("par"), 2n)
    assert.deepStrictEqual(args.list("uacomment"), ["b", "a"])
    assert.deepStrictEqual(stderr, [
      "warning: -includeconf cannot be used from included files; ignoring -includeconf=c.conf"
    ])
    assert.deepStrictEqual(given("-noincludeconf").conf.included, [])
    conf("includeconf=absent.conf")
    assert.strictEqual(failure(), "Error reading configuration file: Failed to include configuration file absent.conf")
  })

  it("may be elsewhere, nowhere, or a directory", () => {
    assert.strictEqual(
      failure("-conf=absent.conf"),
      `Error reading configuration file: specified config file "${join(home.base, "absent.conf")}" could not be opened.`
    )
    for (const word of ["-conf", "-conf="]) {
      assert.strictEqual(
        failure(word),
        `Error reading configuration file: specified config file "${
          join(home.base, "bitcoin.conf")
        }" could not be opened.`
      )
    }
    mkdirSync(join(home.base, "dir"))
    assert.strictEqual(
      failure("-conf=dir"),
      `Error reading configuration file: Config file "${join(home.base, "dir")}" is a directory.`
    )
    conf("x")
    assert.isUndefined(failure("-noconf"))
  })

  it("ends a start where another one lies unused", () => {
    conf("regtest=1")
    home.write("other.conf", "regtest=1\n")
    assert.match(failure("-conf=other.conf") ?? "", /contains a "bitcoin\.conf" file which is ignored/)
    const allowed = given("-conf=other.conf", "-allowignoredconf")
    assert.strictEqual(allowed.chain, "regtest")
    assert.deepInclude(allowed.aboutIgnoredConf[0], { level: "warning", source: "InitConfig" })
    assert.deepStrictEqual(given("-regtest", "-noconf").aboutIgnoredConf, [{
      level: "info",
      text: `Data directory "${home.base}" contains a "bitcoin.conf" file which is explicitly ignored using -noconf.`,
      source: "InitConfig"
    }])
  })
})

describe("settings.json", () => {
  const path = (): string => join(home.base, "regtest/settings.json")

  it("is written anew at each start, with what it held", () => {
    home.write("regtest/settings.json", "{\"par\":2,\"own\":[1]}")
    const { warnings } = given("-regtest")
    assert.include(warnings, "Ignoring unknown rw_settings value own")
    const text = readFileSync(path(), "utf8")
    assert.match(text, /^\{\n {4}"_warning_": /)
    const { _warning_, ...rest } = JSON.parse(text) as Record<string, unknown>
    assert.isString(_warning_)
    assert.deepStrictEqual(rest, { par: 2, own: [1] })
  })

  it("is not written where it is switched off", () => {
    given("-regtest", "-nosettings")
    assert.isFalse(existsSync(path()))
  })

  it("must be an object of distinct keys", () => {
    const detail = (text: string | Buffer): string | undefined => {
      home.write("regtest/settings.json", text)
      return failure("-regtest")?.replace("Settings file could not be read:\n- ", "")
    }
    const invalid = /^Settings file .* does not contain valid JSON\. This may be caused/
    assert.match(detail("{") ?? "", invalid)
    // Its texts are UTF-8: no byte is replaced, and half a surrogate pair is none.
    assert.match(detail(Buffer.from("{\"rpcpassword\": \"\xe4\xf6\"}", "latin1")) ?? "", invalid)
    assert.match(detail(Buffer.from("{\"\xe4\": 1}", "latin1")) ?? "", invalid)
    assert.match(detail("{\"rpcpassword\": \"\\udce4\"}") ?? "", invalid)
    assert.match(detail("{\"uacomment\": [{\"\\udce4\": 1}]}") ?? "", invalid)
    assert.isUndefined(detail("{\"rpcpassword\": \"\\ud83d\\ude00\u00e4\"}"))
    assert.strictEqual(detail("[1]"), `Found non-object value [1] in settings file ${path()}`)
    assert.strictEqual(
      detail("{\"a\": {\"b\": 1, \"b\": 2}, \"c\": \"a\", \"a\": 1}"),
      `Found duplicate key a in settings file ${path()}`
    )
    assert.isUndefined(detail("{\"a\": {\"b\": 1, \"b\": 2}, \"c\": [\"a\", \"a\"]}"))
  })
})
