import { createHmac } from "node:crypto"
import { assert, describe, it } from "vitest"
import { eventData, SENDABLE } from "../webhooks/src/event-json.ts"
import { isWantedBy, shownUrl } from "../webhooks/src/hook.ts"
import {
  CHAIN_KEY,
  droppedKey,
  eventKey,
  eventNumber,
  eventsOf,
  keysOf,
  nameIn,
  nextNumberKey
} from "../webhooks/src/queue/keys.ts"
import { readHooks } from "../webhooks/src/read-hooks.ts"
import { pauseAfter } from "../webhooks/src/send/pause.ts"
import { signatureOf } from "../webhooks/src/send/signature.ts"
import { rulesOf, SETTINGS } from "../webhooks/src/settings.ts"

const FILES: Readonly<Record<string, string>> = { "key.txt": "key of a file\n" }

const read = (...tables: ReadonlyArray<object>) =>
  readHooks(JSON.stringify(tables), (name) => {
    const found = FILES[name]
    if (found !== undefined) return found
    throw Object.assign(new Error("no file"), { code: "ENOENT" })
  })

const A = { name: "a", url: "https://user:word@a.example/b?token=1" }

describe("hooks", () => {
  it("have the events of the chain and no filter where nothing else is set", () => {
    const [hook] = read(A)
    assert.deepInclude(hook, { kind: "http", events: ["NewBlock", "BlockDisconnected"], where: {}, secret: undefined })
    assert.strictEqual(shownUrl(hook!), "https://a.example/b")
    const [nats] = read({ name: "b", url: "tls://b:1", jetstream: true, secret_file: "key.txt" })
    assert.deepInclude(nats, { kind: "nats", subject: "lockstep", usesJetStream: true, secret: "key of a file" })
  })

  it.each<readonly [object, RegExp]>([
    [{ ...A, name: "A" }, /hooks\[0\]\.name must have up to 32 small letters/],
    [{ ...A, url: "ftp://a" }, /hooks\[0\]\.url must begin with/],
    [{ ...A, url: 1 }, /hooks\[0\]\.url must be a text/],
    [{ ...A, events: [] }, /events must be a list of event types/],
    [{ ...A, events: ["WebhookSent"] }, /events names WebhookSent, which is no event for hooks/],
    [{ ...A, where: { reason: {} } }, /where\.reason must be a value or a list of values/],
    [{ ...A, headers: { "a b": "1" } }, /headers\.a b is no header of HTTP/],
    [{ ...A, secret: "a", secret_file: "key.txt" }, /secret stands beside secret_file; keep one/],
    [{ ...A, secret_file: "none.txt" }, /secret_file cannot be read from the module's data directory: ENOENT/],
    [{ ...A, subject: "a" }, /subject is no field of a hook with https:\/\//],
    [{ name: "a", url: "nats://a", subject: "a.*" }, /subject must be words/],
    [{ name: "a", url: "nats://a", jetstream: "yes" }, /jetstream must be true or false/]
  ])("are refused: %j", (table, message) => {
    assert.throws(() => read(table), message)
  })

  it("are refused as a whole where there is none, no list, or a name twice", () => {
    assert.throws(() => readHooks("", () => ""), /there is no hook/)
    assert.throws(() => readHooks("{}", () => ""), /must be a list of tables/)
    assert.throws(() => read(A, A), /two hooks have the name a/)
  })

  it("select events by type and by the values of fields", () => {
    const [hook] = read({
      ...A,
      events: ["MempoolTransactionRemoved"],
      where: { reason: ["conflict", "expiry"], mempool_size: 1 }
    })
    const isWanted = (type: "MempoolTransactionRemoved" | "NewBlock", reason: string, size: number) =>
      isWantedBy(hook!, type, { reason, mempool_size: size })
    assert.isTrue(isWanted("MempoolTransactionRemoved", "expiry", 1))
    assert.isFalse(isWanted("MempoolTransactionRemoved", "block", 1))
    assert.isFalse(isWanted("MempoolTransactionRemoved", "expiry", 2))
    assert.isFalse(isWanted("NewBlock", "expiry", 1))
  })
})

describe("what webhooks send", () => {
  it("has hashes as people read them, other bytes as they are, and what is missing as null", () => {
    const hash = Uint8Array.from({ length: 32 }, (_, i) => i)
    const violation = {
      _tag: "ConsensusRuleViolation",
      rule_name: "r",
      block_hash: hash,
      tx_hash: undefined,
      error: "e"
    } as const
    assert.deepStrictEqual(eventData(violation), {
      rule_name: "r",
      block_hash: Buffer.from(hash.toReversed()).toString("hex"),
      tx_hash: null,
      error: "e"
    })
    const connected = {
      _tag: "PeerConnected",
      peer_addr: "a",
      transport_type: "v2",
      services: 2n ** 63n,
      version: 1,
      peer_node_id: Uint8Array.of(1, 2)
    } as const
    assert.deepInclude(eventData(connected), { services: "9223372036854775808", peer_node_id: "0102" })
    assert.notInclude(SENDABLE, "NetworkReceived")
    const snapshot = { _tag: "MempoolSnapshot", tx_hashes: [hash, hash.toReversed()] }
    assert.deepStrictEqual(eventData(snapshot as never)["tx_hashes"], [
      Buffer.from(hash.toReversed()).toString("hex"),
      Buffer.from(hash).toString("hex")
    ])
  })

  it("is signed over the time, a dot and the body", () => {
    const expected = createHmac("sha256", "key").update("17.{}").digest("hex")
    assert.strictEqual(signatureOf("key", 17, new TextEncoder().encode("{}")), `v1=${expected}`)
  })

  it("waits twice as long after each failure, up to the longest pause", () => {
    const pauses = [1, 2, 3, 9, 400].map((failures) => pauseAfter(failures, 100_000, () => 0))
    assert.deepStrictEqual(pauses, [1_000, 2_000, 4_000, 100_000, 100_000])
    assert.strictEqual(pauseAfter(1, 100_000, () => 1), 750)
  })

  it("has keys in the order of its numbers, apart from those of other hooks", () => {
    const numbers = [0, 1, 255, 256, 2 ** 40]
    const keys = numbers.map((number) => Buffer.from(eventKey("a", number)))
    assert.deepStrictEqual(keys.toSorted(Buffer.compare).map(eventNumber), numbers)
    const { from, to } = eventsOf("a")
    for (const other of ["a-b", "a1", "aa", "a_"]) {
      const key = eventKey(other, 3)
      assert.isFalse(Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0, other)
    }
  })

  it("has keys that name the hook, and bounds around those of all hooks", () => {
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1")
    assert.deepStrictEqual([CHAIN_KEY, nextNumberKey("ab"), droppedKey("ab")].map(text), ["c", "n:ab", "d:ab"])
    assert.strictEqual(nameIn(nextNumberKey("ab")), "ab")
    const { from, to } = keysOf("n")
    assert.deepStrictEqual([text(from), text(to)], ["n:", "n;"])
    assert.strictEqual(text(eventKey("a", 258)), "q:a:\0\0\0\0\0\0\u0001\u0002")
  })

  it("follows rules that are checked", () => {
    assert.deepInclude(rulesOf(SETTINGS), { timeoutMs: 10_000, longestPauseMs: 300_000, oldestBlockSeconds: 0 })
    assert.throws(
      () => rulesOf({ ...SETTINGS, most_waiting: 0 }),
      /most_waiting must be a whole number from 1 to 100000, and is 0/
    )
    assert.throws(() => rulesOf({ ...SETTINGS, timeout_seconds: 1.5 }), /timeout_seconds must be a whole number/)
  })
})
