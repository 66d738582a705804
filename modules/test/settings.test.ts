import { assert, describe, it } from "vitest"
import { linesOf } from "../stratum-v1/src/lines.ts"
import { rulesOf as v1, SETTINGS as V1 } from "../stratum-v1/src/settings.ts"
import { rulesOf as v2, SETTINGS as V2 } from "../stratum-v2/src/settings.ts"
import { readHooks } from "../webhooks/src/read-hooks.ts"
import { rulesOf as webhooks, SETTINGS as WEBHOOKS } from "../webhooks/src/settings.ts"

const PAID = { payout_address: "bcrt1q" }

/** What a function throws; none: nothing. */
const refusalOf = (work: () => unknown): string | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

describe("the settings of the module stratum-v1", () => {
  it("come to these rules where only the address is set", () => {
    assert.deepStrictEqual(v1({ ...V1, ...PAID }), {
      listen: "127.0.0.1:3333",
      payoutAddress: "bcrt1q",
      startDifficulty: 1_024,
      vardiff: { shareSeconds: 10, least: 0.001 },
      refreshSeconds: 20,
      versionMask: 0x1fff_e000
    })
  })

  it("have a mask in hexadecimal digits, and no first difficulty below the least", () => {
    assert.strictEqual(v1({ ...V1, ...PAID, version_mask: "FFFFFFFF" }).versionMask, 0xffff_ffff)
    const { startDifficulty, vardiff } = v1({ ...V1, ...PAID, least_difficulty: 5, start_difficulty: 4 })
    assert.deepStrictEqual([startDifficulty, vardiff.least], [5, 5])
    assert.strictEqual(v1({ ...V1, ...PAID, least_difficulty: 5, start_difficulty: 6 }).startDifficulty, 6)
  })

  it.each([
    [{ payout_address: "" }, "set payout_address to the address that blocks are to pay to"],
    [{ version_mask: "1fffe00" }, "the setting version_mask must be 8 hexadecimal digits, and is 1fffe00"],
    [{ version_mask: "1fffe0000" }, "the setting version_mask must be 8 hexadecimal digits, and is 1fffe0000"],
    [{ version_mask: "1fffe00g" }, "the setting version_mask must be 8 hexadecimal digits, and is 1fffe00g"],
    [{ refresh_seconds: 0 }, "the setting refresh_seconds must be from 1 to 25, and is 0"],
    [{ refresh_seconds: 26 }, "the setting refresh_seconds must be from 1 to 25, and is 26"],
    [{ refresh_seconds: 1.5 }, "the setting refresh_seconds must be from 1 to 25, and is 1.5"],
    [{ start_difficulty: 0 }, "the setting start_difficulty must be above 0, and is 0"],
    [{ least_difficulty: -1 }, "the setting least_difficulty must be above 0, and is -1"],
    [{ share_seconds: Infinity }, "the setting share_seconds must be above 0, and is Infinity"],
    [{ refresh_seconds: 1 }, undefined],
    [{ refresh_seconds: 25 }, undefined]
  ])("are judged: %j", (changed, refusal) => {
    assert.strictEqual(refusalOf(() => v1({ ...V1, ...PAID, ...changed })), refusal)
  })
})

describe("the settings of the module stratum-v2", () => {
  it("come to these rules where only the address is set", () => {
    const rules = {
      listen: "127.0.0.1:3334",
      payoutAddress: "bcrt1q",
      vardiff: { shareSeconds: 10, least: 0.001 },
      refreshSeconds: 20,
      certificateSeconds: 86_400,
      declaresJobs: false,
      distributesTemplates: false
    }
    assert.deepStrictEqual(v2({ ...V2, ...PAID }), rules)
    const changed = { certificate_hours: 0.5, job_declaration: true, template_distribution: true }
    assert.deepStrictEqual(v2({ ...V2, ...PAID, ...changed }), {
      ...rules,
      certificateSeconds: 1_800,
      declaresJobs: true,
      distributesTemplates: true
    })
    assert.isFalse(v2({ ...V2, ...PAID, job_declaration: true }).distributesTemplates)
  })

  it.each([
    [{ payout_address: "" }, "set payout_address to the address that blocks are to pay to"],
    [{ refresh_seconds: 0 }, "the setting refresh_seconds must be from 1 to 25, and is 0"],
    [{ refresh_seconds: 26 }, "the setting refresh_seconds must be from 1 to 25, and is 26"],
    [{ refresh_seconds: 1.5 }, "the setting refresh_seconds must be from 1 to 25, and is 1.5"],
    [{ certificate_hours: 0 }, "the setting certificate_hours must be above 0, and is 0"],
    [{ share_seconds: -1 }, "the setting share_seconds must be above 0, and is -1"],
    [{ least_difficulty: Infinity }, "the setting least_difficulty must be above 0, and is Infinity"],
    [{ refresh_seconds: 1 }, undefined],
    [{ refresh_seconds: 25 }, undefined]
  ])("are judged: %j", (changed, refusal) => {
    assert.strictEqual(refusalOf(() => v2({ ...V2, ...PAID, ...changed })), refusal)
  })
})

describe("the settings of the module webhooks", () => {
  it("come to these rules where none is set, times in milliseconds", () => {
    assert.deepStrictEqual(webhooks(WEBHOOKS), {
      timeoutMs: 10_000,
      longestPauseMs: 300_000,
      failuresUntilDead: 10,
      mostWaiting: 10_000,
      oldestBlockSeconds: 0
    })
  })

  it.each([
    ["timeout_seconds", 1, 120],
    ["longest_pause_seconds", 1, 86_400],
    ["failures_until_dead", 1, 1_000_000],
    ["most_waiting", 1, 100_000],
    ["oldest_block_seconds", 0, 4_294_967_296]
  ])("have whole numbers: %s from %d to %d", (name, least, most) => {
    for (const value of [least, most]) assert.isUndefined(refusalOf(() => webhooks({ ...WEBHOOKS, [name]: value })))
    for (const value of [least - 1, most + 1, least + 0.5]) {
      assert.strictEqual(
        refusalOf(() => webhooks({ ...WEBHOOKS, [name]: value })),
        `the setting ${name} must be a whole number from ${least} to ${most}, and is ${value}`
      )
    }
  })

  const HTTP = { name: "a", url: "http://a" }
  const NATS = { name: "a", url: "nats://a" }
  const read = (...tables: ReadonlyArray<unknown>) =>
    readHooks(JSON.stringify(tables), () => {
      throw "no text"
    })

  it("have up to 32 hooks, each of its own name", () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => ({ ...HTTP, name: `a${i}` }))
    assert.lengthOf(read(...many(32)), 32)
    assert.strictEqual(refusalOf(() => read(...many(33))), "the setting hooks has 33 hooks, and 32 is the most")
    assert.strictEqual(refusalOf(() => read(HTTP, { ...HTTP, name: "b" }, HTTP)), "two hooks have the name a")
    assert.lengthOf(read({ ...HTTP, name: "0_-".padEnd(32, "z") }), 1)
  })

  it.each<readonly [table: unknown, refusal: RegExp]>([
    [1, /^the setting hooks must be a list of tables/],
    [null, /^the setting hooks must be a list of tables/],
    [["a"], /^the setting hooks must be a list of tables/],
    [{ url: "http://a" }, /^hooks\[0\]\.name must have up to 32/],
    [{ ...HTTP, name: "-a" }, /^hooks\[0\]\.name must have up to 32/],
    [{ ...HTTP, name: "a".repeat(33) }, /^hooks\[0\]\.name must have up to 32/],
    [{ ...HTTP, name: "" }, /^hooks\[0\]\.name must be a text/],
    [{ name: "a" }, /^hooks\[0\]\.url must begin with/],
    [{ name: "a", url: "http://" }, /^hooks\[0\]\.url must begin with/],
    [{ name: "a", url: "nats:a" }, /^hooks\[0\]\.url must begin with/],
    [{ ...HTTP, events: "NewBlock" }, /^hooks\[0\]\.events must be a list of event types/],
    [{ ...HTTP, where: [] }, /^hooks\[0\]\.where must be a table of fields/],
    [{ ...HTTP, where: { a: [1, {}] } }, /^hooks\[0\]\.where\.a must be a value or a list of values/],
    [{ ...HTTP, headers: "a" }, /^hooks\[0\]\.headers must be a table of texts/],
    [{ ...HTTP, headers: { a: "\n" } }, /^hooks\[0\]\.headers\.a is no header of HTTP/],
    [{ ...HTTP, ca_file: "x" }, /^hooks\[0\]\.ca_file cannot be read from the module's data directory: no text$/],
    [
      { ...HTTP, jetstream: true },
      /^hooks\[0\]\.jetstream is no field of a hook with http:\/\/; there are name, .*headers$/
    ],
    [
      { ...NATS, headers: {} },
      /^hooks\[0\]\.headers is no field of a hook with nats:\/\/; there are .*credentials_file$/
    ],
    [{ ...NATS, subject: "a." }, /^hooks\[0\]\.subject must be words/],
    [{ ...NATS, subject: "" }, /^hooks\[0\]\.subject must be a text/]
  ])("refuse the hook %j", (table, refusal) => {
    assert.match(refusalOf(() => read(table)) ?? "", refusal)
  })

  it.each(["{}", "1", "null", "[", "a"])("refuse hooks that are %s", (text) => {
    assert.match(refusalOf(() => readHooks(text, () => "")) ?? "", /^the setting hooks must be a list of tables/)
  })

  it("have hooks with every field", () => {
    const files = (name: string) => `${name}\n`
    const [http] = readHooks(
      JSON.stringify([{
        ...HTTP,
        events: ["NewTransaction"],
        where: { a: [1, null], b: "x" },
        secret_file: "s",
        ca_file: "c",
        headers: { "X-A": "1" }
      }]),
      files
    )
    assert.deepInclude(http, {
      kind: "http",
      events: ["NewTransaction"],
      where: { a: [1, null], b: ["x"] },
      secret: "s",
      authorities: "c\n",
      headers: { "X-A": "1" }
    })
    const [nats] = readHooks(
      JSON.stringify([{ ...NATS, secret: "k", subject: "a.b-1", user: "u", credentials_file: "f" }]),
      files
    )
    assert.deepInclude(nats, {
      kind: "nats",
      secret: "k",
      subject: "a.b-1",
      usesJetStream: false,
      user: "u",
      credentials: "f\n",
      authorities: undefined
    })
  })
})

describe("the lines of a miner", () => {
  const read = (...chunks: ReadonlyArray<string>) => {
    const lines: Array<string> = []
    const take = linesOf((line) => void lines.push(line))
    return { taken: chunks.map((chunk) => take(Buffer.from(chunk))), lines }
  }

  it("are handed on whole, in any pieces, without the empty ones", () => {
    assert.deepStrictEqual(read("a\nb", "c\n\n \r\nd"), { taken: [true, true], lines: ["a", "bc"] })
    assert.deepStrictEqual(read("a", "\n"), { taken: [true, true], lines: ["a"] })
  })

  it("may have 8,192 bytes, ended or not", () => {
    const most = "x".repeat(8_192)
    assert.deepStrictEqual(read(`${most}\n`), { taken: [true], lines: [most] })
    assert.deepStrictEqual(read(most, "\n"), { taken: [true, true], lines: [most] })
    assert.deepStrictEqual(read(`a\n${most}x\nb\n`), { taken: [false], lines: ["a"] })
    assert.deepStrictEqual(read(`${most}x`), { taken: [false], lines: [] })
  })
})

describe("the address that blocks pay to", () => {
  it("has to be set for both servers of miners", () => {
    assert.deepStrictEqual([V1.payout_address, V2.payout_address], ["", ""])
  })
})
