import { assert, describe, it } from "@effect/vitest"
import { namedParameters, positionalParameters } from "../../src/bitcoin-cli/convert-parameters.ts"
import { coreJson } from "../../src/bitcoin-cli/core-json.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { readJson } from "../../src/json/read-json.ts"

const byPosition = (method: string, ...words: ReadonlyArray<string>): string =>
  writeJson(positionalParameters(method, words))
const byName = (method: string, ...words: ReadonlyArray<string>): string => writeJson(namedParameters(method, words))

describe("parameters of a command line", () => {
  it("are JSON where the method takes no text, and texts elsewhere", () => {
    assert.strictEqual(byPosition("getblock", "00", "2"), "[\"00\",2]")
    assert.strictEqual(byPosition("getrawtransaction", "12", "true", "34"), "[\"12\",true,\"34\"]")
    assert.strictEqual(byPosition("getblockstats", "abc"), "[\"abc\"]")
    assert.strictEqual(byPosition("getblockstats", "100"), "[100]")
    assert.strictEqual(byPosition("nosuch", "1", "true"), "[\"1\",\"true\"]")
    assert.throws(() => byPosition("getblockhash", "ab"), "Error parsing JSON: ab")
  })

  it("of wallet methods are converted for a node that has them", () => {
    assert.strictEqual(byPosition("sendtoaddress", "bc1", "0.10", "1", "2", "true"), "[\"bc1\",0.10,\"1\",\"2\",true]")
    assert.strictEqual(
      byName("sendtoaddress", "address=bc1", "amount=1", "comment=2"),
      "{\"address\":\"bc1\",\"amount\":1,\"comment\":\"2\"}"
    )
    assert.strictEqual(
      byName("fundrawtransaction", "hexstring=00", "fee_rate=5"),
      "{\"hexstring\":\"00\",\"fee_rate\":5}"
    )
  })

  it("have names with -named, the last of a name counts, and others stand in args", () => {
    assert.strictEqual(byName("getblock", "blockhash=00", "verbosity=1"), "{\"blockhash\":\"00\",\"verbosity\":1}")
    assert.strictEqual(
      byName("getblock", "verbose=1", "blockhash=00", "blockhash=11"),
      "{\"verbose\":1,\"blockhash\":\"11\"}"
    )
    assert.strictEqual(byName("getblock", "00", "verbosity=1"), "{\"verbosity\":1,\"args\":[\"00\"]}")
    assert.strictEqual(byName("getblock", "nosuch=1"), "{\"args\":[\"nosuch=1\"]}")
    assert.strictEqual(byName("getblockhash", "nosuch=1"), "{\"nosuch\":\"1\"}")
    assert.strictEqual(
      byName("gettxspendingprevout", "outputs=[]", "mempool_only=true"),
      "{\"outputs\":[],\"mempool_only\":true}"
    )
  })
})

describe("JSON that the client prints", () => {
  it("has two spaces a level, empty lists over two lines, and numbers as they came", () => {
    const value = readJson("{\"a\":[],\"b\":{},\"c\":[1.0,{\"d\":\"\\u0001é\"}],\"e\":null}")!
    assert.strictEqual(
      coreJson(value),
      "{\n  \"a\": [\n  ],\n  \"b\": {\n  },\n  \"c\": [\n    1.0,\n    {\n      \"d\": \"\\u0001é\"\n    }\n  ],\n  \"e\": null\n}"
    )
  })
})
