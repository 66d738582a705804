import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { linesOfKeys } from "../../src/config/file/lines-of-keys.ts"
import { isLoopbackSubnet, parseHostPort, printHostPort } from "../../src/config/host-port.ts"
import { isLoopback } from "../../src/config/loopback.ts"
import { parseLogFilter } from "../../src/config/log-filter.ts"
import { nearest } from "@lockstep/protocol/nearest-name.ts"

const port = fc.integer({ min: 0, max: 65_535 })
const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain())

describe("host and port", () => {
  it("what is printed is read back", () => {
    fc.assert(fc.property(host, port, (name, number) => {
      const address = { host: name, port: number }
      assert.deepStrictEqual(parseHostPort(printHostPort(address)), address)
    }))
  })

  it("anything else is nothing", () => {
    const wrong = [
      "",
      ":",
      ":1",
      "host",
      "host:",
      "host:x",
      "host:65536",
      "::1:8332",
      "[::1]",
      "[::1]:",
      "[host]:1",
      "1.2.3:1",
      "256.1.1.1:1",
      "a b:1",
      "host:-1",
      "http://h:1"
    ]
    for (const text of wrong) assert.isUndefined(parseHostPort(text), text)
  })

  it("distinguishes from where an address can be reached", () => {
    const local = ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"]
    const open = ["0.0.0.0:1", "[::]:1", "10.0.0.1:1", "example.com:1", "127.0.0.1.example.com:1"]
    for (const text of local) assert.isTrue(isLoopback(parseHostPort(text)!), text)
    for (const text of open) assert.isFalse(isLoopback(parseHostPort(text)!), text)
  })
})

describe("a subnet", () => {
  it.each<readonly [string, boolean]>([
    ["127.0.0.1", true],
    ["127.0.0.0/8", true],
    ["127.0.0.0/7", false],
    ["10.0.0.0/8", false],
    ["::1", true],
    ["::1/127", false],
    ["nothing", false]
  ])("%s is of this machine alone: %s", (text, isOwn) => assert.strictEqual(isLoopbackSubnet(text), isOwn))
})

describe("nearest", () => {
  const KEYS = ["data_dir", "database_backend", "dbcache_mb"]

  it("finds one edit, swapped letters, and other ways to join words", () => {
    assert.strictEqual(nearest("data_dri", KEYS), "data_dir")
    assert.strictEqual(nearest("dbcach_mb", KEYS), "dbcache_mb")
    assert.strictEqual(nearest("DATA-DIR", KEYS), "data_dir")
    assert.strictEqual(nearest("datadir", KEYS), "data_dir")
  })

  it("finds nothing where nothing is near, however long the text", () => {
    assert.isUndefined(nearest("completely_different", KEYS))
    assert.isUndefined(nearest("x".repeat(1_000_000), KEYS))
  })
})

describe("parseLogFilter", () => {
  it("a level, categories, or both", () => {
    assert.deepStrictEqual(parseLogFilter("info"), { level: "info", categories: {} })
    assert.deepStrictEqual(parseLogFilter("WARN, rpc=debug ,storage=off"), {
      level: "warn",
      categories: { rpc: "debug", storage: "none" }
    })
    assert.deepStrictEqual(parseLogFilter("rpc=trace"), { level: undefined, categories: { rpc: "trace" } })
  })

  it("anything else is nothing", () => {
    for (const text of ["", "loud", "rpc=", "=info", "info,", "rpc=debug=info", "a b=info"]) {
      assert.isUndefined(parseLogFilter(text), text)
    }
  })
})

describe("linesOfKeys", () => {
  const TOML = "a = 1\n# b = 2\n[t]\n  \"b\" = 3\nc.d = 4\n[t . u]\ne = 5\n[[list]]\nf = 6\n"

  it("finds keys, tables and dotted keys", () => {
    const lines = ["a", "t", "t.b", "t.c.d", "t.c", "t.u", "t.u.e", "list.f"].map((name) => linesOfKeys(TOML)(name))
    assert.deepStrictEqual(lines, [1, 3, 4, 5, 5, 6, 7, 9])
    assert.isUndefined(linesOfKeys(TOML)("b"))
  })

  it("finds members of an inline table where that stands, and none of a table of another name", () => {
    const lineOf = linesOfKeys("a = 1\nin = { b = 1 }\n[t]\nc = 2\n[tt]\n")
    assert.deepStrictEqual(["in.b", "t.d", "tt.c", "t", "tt"].map(lineOf), [2, undefined, undefined, 3, 5])
  })
})

describe("a name that only begins another", () => {
  it("is near to it where no other name begins so", () => {
    assert.strictEqual(nearest("strat", ["stratum-v2", "storage"]), "stratum-v2")
    assert.strictEqual(nearest("listen", ["listen-addr", "rpc-addr"]), "listen-addr")
    assert.isUndefined(nearest("abc", ["abcdefghi", "abcxyzuvw"]))
    assert.isUndefined(nearest("xy", ["xylophone"]))
  })
})
