import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { limitedAddress, isLoopbackAddress } from "../../../src/http/limits/address-key.ts"
import { type Asker, rateLimits } from "../../../src/http/limits/rate-limits.ts"
import { recentCounts } from "../../../src/http/limits/recent-counts.ts"
import { tokenBuckets } from "../../../src/http/limits/token-buckets.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { fakeChain } from "../fake-chain.ts"
import { basic, bearer, exchange, type Sent } from "../http-exchange.ts"
import { NO_RATE_LIMITS, testServer } from "../test-server.ts"

describe("a bucket of tokens", () => {
  it("lets a burst through, then the rate, and says how long to wait", () => {
    const { take } = tokenBuckets({ burst: 3, rate: 2 })
    assert.deepStrictEqual([1, 2, 3, 4].map(() => take("a", 1, 0)), [0, 0, 0, 0.5])
    assert.strictEqual(take("b", 1, 0), 0)
    assert.deepStrictEqual([take("a", 1, 499), take("a", 1, 501), take("a", 1, 502)].map((wait) => wait > 0), [
      true,
      false,
      true
    ])
  })

  it("is never refused for good: what costs more than a bucket holds takes a full one", () => {
    const { take } = tokenBuckets({ burst: 3, rate: 1 })
    assert.strictEqual(take("a", 10, 0), 0)
    assert.strictEqual(take("a", 10, 0), 3)
    assert.strictEqual(take("a", 10, 3_000), 0)
  })

  it("allows no caller more than burst and rate", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(500), fc.integer({ min: 1, max: 4 })), { maxLength: 60 }), (takings) => {
        const { take } = tokenBuckets({ burst: 5, rate: 3 })
        let now = 0
        let taken = 0
        for (const [pause, tokens] of takings) {
          now += pause
          if (take("a", tokens, now) === 0) taken += tokens
          assert.isAtMost(taken, 5 + now / 1_000 * 3 + 1e-6)
        }
      })
    )
  })

  it("of many keys stay bounded", () => {
    const { size, take } = tokenBuckets({ burst: 1, rate: 1 }, 10)
    for (let i = 0; i < 1_000; i++) take(String(i), 1, i)
    assert.strictEqual(size(), 10)
  })
})

describe("addresses", () => {
  it("of one owner count as one", () => {
    const keys = [
      ["::ffff:10.0.0.1", "10.0.0.1"],
      ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
      ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
      ["2001:db8::6", "2001:db8:0:0::/64"],
      ["fe80::1%eth0", "fe80:0:0:0::/64"]
    ] as const
    for (const [address, key] of keys) assert.strictEqual(limitedAddress(address), key)
  })

  it("of this machine are known", () => {
    for (const address of ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]) {
      assert.isTrue(isLoopbackAddress(address))
    }
    for (const address of ["10.0.0.1", "128.0.0.1", "::2", "", "nonsense"]) assert.isFalse(isLoopbackAddress(address))
  })
})

describe("counts within a window", () => {
  it("start anew when it is over", () => {
    const counts = recentCounts(1_000)
    assert.deepStrictEqual([counts.add("a", 0), counts.add("a", 999), counts.count("a", 999)], [1, 2, 2])
    assert.strictEqual(counts.secondsLeft("a", 400), 0.6)
    assert.deepStrictEqual([counts.count("a", 1_000), counts.add("a", 1_000)], [0, 1])
  })
})

const LIMITS = {
  ...NO_RATE_LIMITS,
  address: { burst: 2, rate: 1 },
  user: { burst: 3, rate: 1 },
  failures: 2,
  connections: 2
}

const FAR = "10.0.0.1"

const asker = (caller: Asker["caller"], address = FAR, authorization?: string): Asker => ({
  caller,
  address,
  authorization
})

describe("rate limits", () => {
  it("hold anonymous callers by address and users by their credentials; not this machine, not administrators", () => {
    const { admit } = rateLimits(LIMITS, true, () => 0)
    const admitted = (who: Asker): number =>
      Array.from({ length: 10 }, () => admit(who)).filter((wait) => wait === 0).length
    assert.deepStrictEqual([
      admitted(asker("anonymous")),
      admitted(asker("anonymous")),
      admitted(asker("anonymous", "10.0.0.2"))
    ], [2, 0, 2])
    assert.deepStrictEqual([admitted(asker("normal", FAR, "one")), admitted(asker("normal", "10.0.0.3", "one"))], [
      3,
      0
    ])
    assert.strictEqual(admitted(asker("normal", FAR, "two")), 3)
    assert.deepStrictEqual([admitted(asker("admin")), admitted(asker("anonymous", "127.0.0.1"))], [10, 10])
  })

  it("may hold those as well", () => {
    const { admit } = rateLimits({ ...LIMITS, ofLoopback: true, ofAdmins: true }, true, () => 0)
    const waits = [1, 2, 3, 4].map(() => admit(asker("admin", FAR, "admin")) > 0)
    assert.deepStrictEqual(waits, [false, false, false, true])
    assert.deepStrictEqual([1, 2, 3].map(() => admit(asker("anonymous", "127.0.0.1")) > 0), [false, false, true])
  })

  it("hold no caller where no credentials are configured, unless that is wanted", () => {
    const [off, on] = [
      rateLimits(LIMITS, false, () => 0),
      rateLimits({ ...LIMITS, whenAuthDisabled: true }, false, () => 0)
    ]
    assert.deepStrictEqual([1, 2, 3].map(() => off.admit(asker("anonymous")) > 0), [false, false, false])
    assert.deepStrictEqual([1, 2, 3].map(() => on.admit(asker("anonymous")) > 0), [false, false, true])
  })

  it("are none where burst or rate is 0", () => {
    for (const size of [{ burst: 0, rate: 5 }, { burst: 5, rate: 0 }, { burst: 0, rate: 0 }]) {
      const { admit, charge } = rateLimits({ ...LIMITS, address: size, user: size }, true, () => 0)
      const waits = Array.from({ length: 20 }, () => [admit(asker("anonymous")), admit(asker("normal", FAR, "one"))])
      assert.deepStrictEqual(new Set(waits.flat()), new Set([0]), JSON.stringify(size))
      assert.strictEqual(charge(asker("anonymous"), 1_000), 0)
    }
  })

  it("count a batch as its calls, up to a limit", () => {
    const limits = rateLimits({ ...LIMITS, address: { burst: 20, rate: 1 } }, true, () => 0)
    assert.deepStrictEqual([limits.charge(asker("anonymous"), 1), limits.charge(asker("anonymous"), 1_000)], [0, 0])
    assert.strictEqual(limits.charge(asker("anonymous"), 100), 0)
    assert.strictEqual(limits.charge(asker("anonymous"), 100), 7)
  })

  it("block an address that guesses, for a while, and let it connect only so often", () => {
    let now = 0
    const { blocked, connect, failed } = rateLimits(LIMITS, true, () => now)
    failed(FAR)
    assert.strictEqual(blocked(FAR), 0)
    failed(FAR)
    assert.deepStrictEqual([blocked(FAR), blocked("10.0.0.2")], [60, 0])
    failed("127.0.0.1")
    failed("127.0.0.1")
    assert.strictEqual(blocked("127.0.0.1"), 0)
    assert.deepStrictEqual([1, 2, 3].map(() => connect(FAR)), [true, true, false])
    now = 60_000
    assert.deepStrictEqual([blocked(FAR), connect(FAR)], [0, true])
  })
})

const COUNT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"getblockcount\"}"

describe("a server with limits", () => {
  const serve = (rates: typeof NO_RATE_LIMITS) =>
    Effect.gen(function*() {
      const options = {
        directory: yield* temporaryDirectory,
        chain: fakeChain(),
        limits: { rates: { ...rates, ofLoopback: true } }
      }
      const { address } = yield* testServer(options)
      return (sent: Sent) => Effect.promise(() => exchange(address, sent))
    })

  it.live("answers 429 and when to come back, to one that asks too often", () =>
    Effect.gen(function*() {
      const send = yield* serve({ ...NO_RATE_LIMITS, address: { burst: 3, rate: 1 } })
      assert.strictEqual((yield* send({ body: `[${COUNT},${COUNT}]` })).status, 200)
      const batch = yield* send({ body: `[${COUNT},${COUNT},${COUNT}]` })
      assert.deepStrictEqual([batch.status, batch.headers["retry-after"]], [429, "2"])
      const single = yield* send({ body: COUNT })
      assert.strictEqual(single.status, 429)
      assert.include(single.body, "Too many requests")
      assert.strictEqual((yield* send({ body: COUNT, headers: { authorization: basic("u:p") } })).status, 200)
      assert.strictEqual((yield* send({ method: "GET", path: "/health/live" })).status, 200)
    }))

  it.live("does not listen to one that guesses, even when it guesses right", () =>
    Effect.gen(function*() {
      const send = yield* serve({ ...NO_RATE_LIMITS, failures: 2 })
      const wrong = { body: COUNT, headers: { authorization: bearer("guess") } }
      assert.deepStrictEqual([(yield* send(wrong)).status, (yield* send(wrong)).status, (yield* send(wrong)).status], [
        401,
        401,
        429
      ])
      const right = yield* send({ body: COUNT, headers: { authorization: bearer("admin-token") } })
      assert.deepStrictEqual([right.status, right.headers["retry-after"]], [429, "60"])
    }))
})
