import { assert, describe, it } from "vitest"
import { eventData, SENDABLE } from "../webhooks/src/event-json.ts"
import { readHooks } from "../webhooks/src/read-hooks.ts"

const read = (tables: unknown, files: Readonly<Record<string, string>> = {}) =>
  readHooks(JSON.stringify(tables), (name) => {
    if (files[name] !== undefined) return files[name]
    throw Object.assign(new Error("no file"), name === "odd.txt" ? {} : { code: "ENOENT" })
  })

const A = { name: "a", url: "https://a.example/b" }
const N = { name: "n", url: "nats://b:1" }

const refusal = (work: () => unknown): string => {
  try {
    work()
    return "it was not refused"
  } catch (error) {
    return (error as Error).message
  }
}

const LIST = "the setting hooks must be a list of tables: [[modules.webhooks.hooks]]"
const NAME = "hooks[0].name must have up to 32 small letters, digits, - and _"
const URL_FAULT = "hooks[0].url must begin with http://, https://, nats:// or tls:// and name a host"

describe("hooks that are read", () => {
  it("have what their tables say, over HTTP", () => {
    const table = {
      ...A,
      events: ["PeerConnected", "NewBlock"],
      where: { version: [1, "x", true, null], height: 5 },
      headers: { "x-a": "1" },
      secret_file: "key",
      ca_file: "ca"
    }
    assert.deepStrictEqual(read([table], { key: " word\n", ca: " text\n" }), [{
      name: "a",
      url: new URL(A.url),
      events: ["PeerConnected", "NewBlock"],
      where: { version: [1, "x", true, null], height: [5] },
      authorities: " text\n",
      secret: "word",
      kind: "http",
      headers: { "x-a": "1" }
    }])
  })

  it("have what their tables say, over NATS", () => {
    const table = { ...N, subject: "a-1.b_2", jetstream: true, user: "me", secret: " s ", credentials_file: "creds" }
    assert.deepStrictEqual(read([table], { creds: "c\n" }), [{
      name: "n",
      url: new URL(N.url),
      events: ["NewBlock", "BlockDisconnected"],
      where: {},
      authorities: undefined,
      secret: " s ",
      kind: "nats",
      subject: "a-1.b_2",
      usesJetStream: true,
      user: "me",
      credentials: "c\n"
    }])
    const [plain] = read([N])
    assert.deepInclude(plain, {
      subject: "lockstep",
      usesJetStream: false,
      user: undefined,
      credentials: undefined,
      secret: undefined
    })
  })

  it.each([["http://a", "http"], ["https://a", "http"], ["nats://a", "nats"], ["tls://a", "nats"]])(
    "are of the kind of their URL: %s",
    (url, kind) => {
      assert.strictEqual(read([{ ...A, url }])[0]!.kind, kind)
    }
  )

  it.each([["a".repeat(32)], ["0-_9z"]])("may have the name %s", (name) => {
    assert.strictEqual(read([{ ...A, name }])[0]!.name, name)
  })

  it("are 32 at most", () => {
    const tables = (count: number) => Array.from({ length: count }, (_, i) => ({ ...A, name: `a${i}` }))
    assert.lengthOf(read(tables(32)), 32)
    assert.strictEqual(refusal(() => read(tables(33))), "the setting hooks has 33 hooks, and 32 is the most")
  })

  it.each<readonly [unknown, string]>([
    [["a"], LIST],
    [[null], LIST],
    [[[]], LIST],
    [{}, LIST],
    [[{ url: A.url }], NAME],
    [[{ ...A, name: "a".repeat(33) }], NAME],
    [[{ ...A, name: "-a" }], NAME],
    [[{ ...A, name: 5 }], "hooks[0].name must be a text"],
    [[{ ...A, name: "" }], "hooks[0].name must be a text"],
    [[{ name: "a" }], URL_FAULT],
    [[{ ...A, url: "a.example" }], URL_FAULT],
    [[{ ...A, url: "nats://" }], URL_FAULT],
    [[{ ...A, url: "constructor://a" }], URL_FAULT],
    [[A, { ...N, events: "NewBlock" }], "hooks[1].events must be a list of event types"],
    [[{ ...A, events: ["NewBlock", "None"] }], "hooks[0].events names None, which is no event for hooks"],
    [[{ ...A, where: [] }], "hooks[0].where must be a table of fields"],
    [[{ ...A, where: null }], "hooks[0].where must be a table of fields"],
    [[{ ...A, where: { a: [1, {}] } }], "hooks[0].where.a must be a value or a list of values"],
    [[{ ...A, headers: [] }], "hooks[0].headers must be a table of texts"],
    [[{ ...A, headers: { a: "b\nc" } }], "hooks[0].headers.a is no header of HTTP"],
    [
      [{ ...A, ca_file: "odd.txt" }],
      "hooks[0].ca_file cannot be read from the module's data directory: Error: no file"
    ],
    [
      [{ ...N, credentials_file: "x" }],
      "hooks[0].credentials_file cannot be read from the module's data directory: ENOENT"
    ],
    [[{ ...N, user: 5 }], "hooks[0].user must be a text"],
    [
      [{ ...N, subject: "a..b" }],
      "hooks[0].subject must be words of letters, digits, - and _ with dots between them"
    ],
    [[{ ...N, jetstream: 1 }], "hooks[0].jetstream must be true or false"],
    [
      [{ ...N, headers: {} }],
      "hooks[0].headers is no field of a hook with nats://; there are name, url, events, where, secret, secret_file, ca_file, subject, jetstream, user, credentials_file"
    ],
    [
      [{ ...A, user: "me" }],
      "hooks[0].user is no field of a hook with https://; there are name, url, events, where, secret, secret_file, ca_file, headers"
    ],
    [[A, N, { ...N, url: A.url }], "two hooks have the name n"]
  ])("are refused: %j", (tables, message) => {
    assert.strictEqual(refusal(() => read(tables)), message)
  })

  it("are refused where the setting is no JSON, or empty", () => {
    assert.strictEqual(refusal(() => readHooks("[", () => "")), LIST)
    assert.strictEqual(
      refusal(() => readHooks("", () => "")),
      "there is no hook: add [[modules.webhooks.hooks]] with name and url"
    )
  })
})

describe("events of hooks", () => {
  it("are none of those about the connection of the module, and none that a delivery leads to", () => {
    const internal = [
      "EventsDropped",
      "TimerFired",
      "NetworkAccepted",
      "NetworkReceived",
      "NetworkEnded",
      "NetworkDrained",
      "NetworkClosed",
      "Notified",
      "MempoolSnapshot",
      "MempoolStep",
      "WebhookSent",
      "WebhookFailed"
    ]
    assert.deepStrictEqual(SENDABLE.filter((type) => internal.includes(type)), [])
    assert.includeMembers([...SENDABLE], ["NewBlock", "BlockDisconnected", "PeerConnected", "MempoolTransactionAdded"])
  })

  it("have their fields alone, numbers and truths as they are", () => {
    const event = { _tag: "StratumClientConnected", endpoint: "a:1", protocol_version: 2, more: 1 }
    assert.deepStrictEqual(eventData(event as never), { endpoint: "a:1", protocol_version: 2 })
    const sent = { _tag: "WebhookSent", webhook_url: "u", event_type: "NewBlock", success: false } as const
    assert.deepStrictEqual(eventData(sent), { webhook_url: "u", event_type: "NewBlock", success: false })
  })
})
