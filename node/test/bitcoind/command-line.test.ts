import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Home, makeHome } from "./given.ts"

let home: Home
beforeEach(() => void (home = makeHome()))
afterEach(() => home.remove())

const failure = (...words: ReadonlyArray<string>): string | undefined => {
  const read = home.read(...words)
  return Result.isFailure(read) ? read.failure : undefined
}

const given = (...words: ReadonlyArray<string>) =>
  Result.getOrThrowWith(home.read("-regtest", ...words), (message) => new Error(message))

describe("the command line", () => {
  it("knows all forms of an option", () => {
    for (const form of ["-txindex", "--txindex", "-txindex=1", "-txindex=2", "-notxindex=0"]) {
      assert.strictEqual(given(form).args.flag("txindex"), true, form)
    }
    for (const form of ["-notxindex", "--notxindex=1", "-txindex=0", "-txindex=true", "-txindex=no"]) {
      assert.strictEqual(given(form).args.flag("txindex"), false, form)
    }
  })

  it("takes the last of several values, and all of a list", () => {
    const { args } = given("-par=1", "-par=3", "-uacomment=a", "-uacomment=b")
    assert.strictEqual(args.integer("par"), 3n)
    assert.deepStrictEqual(args.list("uacomment"), ["a", "b"])
    assert.deepStrictEqual(given("-uacomment=a", "-nouacomment", "-uacomment=b").args.list("uacomment"), ["b"])
  })

  it("reads numbers as C does", () => {
    for (
      const [text, value] of [["12abc", 12n], [" +7", 7n], ["-3", -3n], ["", 0n], ["x", 0n], [
        "99999999999999999999",
        2n ** 63n - 1n
      ]] as const
    ) {
      assert.strictEqual(given(`-dbcache=${text}`).args.integer("dbcache"), value, text)
    }
  })

  it("ends at a lone dash", () => {
    assert.isFalse(given("-", "-txindex").args.isSet("txindex"))
    assert.strictEqual(
      failure("-", "-txindex", "x"),
      "Command line contains unexpected token 'x', see bitcoind -h for a list of options."
    )
  })

  it("refuses what Bitcoin Core refuses, in its words", () => {
    assert.strictEqual(failure("-nosuch=1"), "Error parsing command line arguments: Invalid parameter -nosuch=1")
    assert.strictEqual(
      failure("-regtest.port=1"),
      "Error parsing command line arguments: Invalid parameter -regtest.port=1"
    )
    assert.strictEqual(
      failure("-nodatadir"),
      "Error parsing command line arguments: Negating of -datadir is meaningless and therefore forbidden"
    )
    assert.strictEqual(
      failure("-proxy"),
      "Error parsing command line arguments: Can not set -proxy with no value. Please specify value with -proxy=value."
    )
    assert.strictEqual(
      failure("-includeconf=x"),
      "Error parsing command line arguments: -includeconf cannot be used from commandline; -includeconf=\"x\""
    )
    assert.strictEqual(
      failure("stop"),
      "Command line contains unexpected token 'stop', see bitcoind -h for a list of options."
    )
    assert.strictEqual(
      failure("-regtest", "-chain=signet"),
      "Invalid combination of -regtest, -signet, -testnet, -testnet4 and -chain. Can use at most one."
    )
    home.write("bitcoin.conf", "signet=1\n")
    assert.strictEqual(
      failure("-testnet"),
      "Invalid combination of -regtest, -signet, -testnet, -testnet4 and -chain. Can use at most one."
    )
    home.write("bitcoin.conf", "")
    assert.strictEqual(failure("-chain=moon"), "Unknown chain moon.")
    assert.strictEqual(
      failure(`-datadir=${home.base}/none`),
      `Specified data directory "${home.base}/none" does not exist.`
    )
  })

  it("warns of a double negative", () => {
    assert.include(
      given("-notxindex=0").warnings,
      "Parsed potentially confusing double-negative -txindex=0"
    )
  })

  it("forces what an option implies, unless it is set", () => {
    const { args, lines } = given("-connect=192.0.2.1")
    assert.strictEqual(args.flag("listen"), false)
    assert.include(lines, "parameter interaction: -connect or -maxconnections=0 set -> setting -listen=0")
    assert.include(lines, "parameter interaction: -listen=0 -> setting -listenonion=0")
    assert.strictEqual(given("-connect=0", "-bind=127.0.0.1").args.flag("listen"), true)
    assert.strictEqual(given("-connect=0", "-listen").args.flag("listen"), true)
  })
})
