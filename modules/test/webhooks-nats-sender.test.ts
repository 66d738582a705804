import type { ModuleNetwork, NetworkStream } from "@lockstep/sdk"
import { nkeys } from "@nats-io/nats-core"
import { once } from "node:events"
import { type Duplex, duplexPair } from "node:stream"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import type { NatsHook } from "../webhooks/src/hook.ts"
import { natsSender } from "../webhooks/src/send/nats-sender.ts"
import type { Delivery } from "../webhooks/src/send/sender.ts"

const HOOK: NatsHook = {
  name: "a",
  kind: "nats",
  url: new URL("nats://nats.example"),
  events: ["NewBlock"],
  where: {},
  authorities: undefined,
  secret: undefined,
  subject: "one.two",
  usesJetStream: false,
  user: undefined,
  credentials: undefined
}

const DELIVERY: Delivery = { hook: "a", number: 7, event: "NewBlock", body: Buffer.from("{\"a\":1}") }

const HEADER = "NATS/1.0\r\nNats-Msg-Id: a-7\r\n\r\n"

/** What a client has published: its subject, its header and its body. */
interface Published {
  readonly subject: string
  readonly header: string
  readonly body: string
}

interface Behaviour {
  readonly info?: object
  /** What a stream answers to an event. */
  readonly answer?: string
  /** What happens where a client pings behind an event; it gets its answer otherwise. */
  readonly atPing?: (stream: Duplex) => void
}

/** A server that speaks as much of the protocol as a sender needs, and a network that leads there. */
const natsServer = ({ answer, atPing, info = {} }: Behaviour = {}) => {
  const asked: Array<string> = []
  const streams: Array<Duplex> = []
  const published: Array<Published> = []
  const connects: Array<Record<string, unknown>> = []

  const serve = (stream: Duplex): void => {
    let held = ""
    let inbox = ""
    const respond = (reply: string): void => {
      const sid = inbox.split(" ")[1]
      if (answer !== undefined) stream.write(`MSG ${reply} ${sid} ${answer.length}\r\n${answer}\r\n`)
    }
    /** Takes a whole message from the front of what is held; false: there is none yet. */
    const takeOne = (): boolean => {
      const end = held.indexOf("\r\n")
      if (end < 0) return false
      const [verb, ...words] = held.slice(0, end).split(" ")
      const isPublished = verb === "PUB" || verb === "HPUB"
      const size = isPublished ? Number(words.at(-1)) + 2 : 0
      if (held.length < end + 2 + size) return false
      const payload = held.slice(end + 2, end + size)
      held = held.slice(end + 2 + size)
      if (verb === "CONNECT") connects.push(JSON.parse(words.join(" ")) as Record<string, unknown>)
      if (verb === "SUB") inbox = words.join(" ")
      if (verb === "PING" && (published.length === 0 || atPing === undefined)) stream.write("PONG\r\n")
      else if (verb === "PING") atPing!(stream)
      if (!isPublished) return true
      const header = verb === "HPUB" ? Number(words.at(-2)) : 0
      published.push({ subject: words[0]!, header: payload.slice(0, header), body: payload.slice(header) })
      if (words.length === (verb === "HPUB" ? 4 : 3)) respond(words[1]!)
      return true
    }
    stream.on("data", (chunk: Buffer) => {
      held += chunk.toString("latin1")
      while (takeOne());
    })
    stream.on("error", () => undefined)
    const said = { server_id: "a", version: "2.10.0", proto: 1, max_payload: 1_048_576, headers: true, ...info }
    stream.write(`INFO ${JSON.stringify(said)}\r\n`)
  }

  const network: ModuleNetwork = {
    listen: () => Promise.reject(new Error("it listens nowhere")),
    connect: (address) => {
      asked.push(address)
      const [near, far] = duplexPair()
      streams.push(near)
      serve(far)
      return Promise.resolve(near as unknown as NetworkStream)
    }
  }
  return { asked, connects, network, published, streams }
}

const said = (sending: Promise<void>): Promise<string> =>
  sending.then(() => "accepted", (error: Error) => error.message)

const soon = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 10_000, interval: 5 })

const JWT = "eyJ0eXAiOiJKV1QiLCJhbGciOiJlZDI1NTE5LW5rZXkifQ.e30.c2ln"

/** The credentials of a user, as the tools of NATS write them. */
const credentialsWith = (seed: string): string =>
  `-----BEGIN NATS USER JWT-----
${JWT}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`

describe("an event for NATS", () => {
  it.each<readonly [string, string]>([
    ["nats://nats.example", "nats.example:4222"],
    ["nats://nats.example:5000", "nats.example:5000"],
    ["nats://[::1]:5000", "[::1]:5000"]
  ])("of a hook with the URL %s goes to the place %s", async (url, place) => {
    const { asked, network } = natsServer()
    const sender = natsSender({ ...HOOK, url: new URL(url) }, network, 5_000)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.deepStrictEqual(asked, [place])
    sender.close()
  })

  it.each<readonly [string, boolean, string]>([
    ["and with an id, by which a stream knows it again", true, HEADER],
    ["and without an id where the server takes no headers", false, ""]
  ])("is published below the hook's subject %s", async (_, headers, header) => {
    const { network, published } = natsServer({ info: { headers } })
    const sender = natsSender(HOOK, network, 5_000)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.deepStrictEqual(published, [{ subject: "one.two.NewBlock", header, body: "{\"a\":1}" }])
    sender.close()
  })

  it.each<readonly [string, string, string]>([
    ["is accepted once a stream has it", "{\"stream\":\"S\",\"seq\":1}", "accepted"],
    [
      "fails with what the stream says",
      "{\"error\":{\"code\":503,\"description\":\"no space\"}}",
      "no stream has stored it: no space"
    ],
    ["fails with the whole answer where it has no reason", "{\"odd\":1}", "no stream has stored it: {\"odd\":1}"]
  ])("that a stream is to store %s", async (_, answer, expected) => {
    const { network, published } = natsServer({ answer })
    const sender = natsSender({ ...HOOK, usesJetStream: true }, network, 5_000)
    assert.strictEqual(await said(sender.send(DELIVERY)), expected)
    assert.deepStrictEqual(published, [{ subject: "one.two.NewBlock", header: HEADER, body: "{\"a\":1}" }])
    sender.close()
  })

  it("that a stream is to store fails where none answers in time", async () => {
    const { network } = natsServer()
    const sender = natsSender({ ...HOOK, usesJetStream: true }, network, 50)
    assert.notStrictEqual(await said(sender.send(DELIVERY)), "accepted")
  })

  it("fails where nothing answers the ping behind it in time, and the connection is closed", async () => {
    const { network, streams } = natsServer({ atPing: () => undefined })
    assert.strictEqual(await said(natsSender(HOOK, network, 50).send(DELIVERY)), "no answer in time")
    await soon(() => assert.isTrue(streams[0]!.destroyed))
  })

  it("fails at once where the server ends the connection behind it", async () => {
    const { network } = natsServer({ atPing: (stream) => void stream.end() })
    const outcome = await said(natsSender(HOOK, network, 60_000).send(DELIVERY))
    assert.include(["the NATS server ended the connection", "closed connection"], outcome)
  })

  it("fails with what the server says, and goes over another connection right after", async () => {
    let isFirst = true
    const { network, streams } = natsServer({
      atPing: (stream) => {
        stream.write(isFirst ? "-ERR 'Authorization Violation'\r\n" : "PONG\r\n")
        isFirst = false
      }
    })
    const sender = natsSender(HOOK, network, 5_000)
    assert.match(await said(sender.send(DELIVERY)), /Authorization Violation/i)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.lengthOf(streams, 2)
    sender.close()
  })

  it("is accepted right after one that was not answered in time", async () => {
    let isFirst = true
    const { network } = natsServer({
      atPing: (stream) => {
        if (!isFirst) stream.write("PONG\r\n")
        isFirst = false
      }
    })
    const sender = natsSender(HOOK, network, 200)
    assert.strictEqual(await said(sender.send(DELIVERY)), "no answer in time")
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    sender.close()
  })

  it("is sent over TLS where the URL says so, for the host that it names", async () => {
    const [near, far] = duplexPair()
    const first = once(far, "data").then(([chunk]) => chunk as Buffer)
    far.write("INFO {\"version\":\"2.10.0\",\"proto\":1,\"max_payload\":100}\r\n")
    const network = { connect: () => Promise.resolve(near) } as unknown as ModuleNetwork
    const sending = said(natsSender({ ...HOOK, url: new URL("tls://nats.example") }, network, 100).send(DELIVERY))
    const hello = await first
    // A handshake of TLS, in which the name stands as it is.
    assert.strictEqual(hello[0], 0x16)
    assert.include(hello.toString("latin1"), "nats.example")
    assert.notStrictEqual(await sending, "accepted")
  })

  it("goes over one connection with those before it, and over another at once after that has broken", async () => {
    const { network, streams } = natsServer()
    const sender = natsSender(HOOK, network, 1_000)
    for (let i = 0; i < 3; i++) assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.lengthOf(streams, 1)
    streams[0]!.destroy()
    await once(streams[0]!, "close")
    await new Promise((resolve) => void setImmediate(resolve))
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.lengthOf(streams, 2)
    sender.close()
    await soon(() => assert.isTrue(streams[1]!.destroyed))
  })
})

describe("a client of NATS", () => {
  const connectOf = async (hook: Partial<NatsHook>, info: object = {}) => {
    const { connects, network } = natsServer({ info })
    const sender = natsSender({ ...HOOK, ...hook }, network, 5_000)
    const outcome = await said(sender.send(DELIVERY))
    sender.close()
    assert.strictEqual(outcome, "accepted")
    return connects[0]!
  }

  it("names itself, and gets none of what it publishes", async () => {
    assert.deepInclude(await connectOf({}), { name: "lockstep", echo: false })
  })

  it.each<readonly [string, Partial<NatsHook>, object]>([
    ["none where the hook has none", {}, {}],
    ["a token where the hook has a secret alone", { secret: "s" }, { auth_token: "s" }],
    ["a user with a password", { user: "u", secret: "s" }, { user: "u", pass: "s" }],
    ["a user without a password", { user: "u" }, { user: "u" }]
  ])("shows as credentials %s", async (_, hook, expected) => {
    const connect = await connectOf(hook)
    const shown = Object.entries(connect).filter(([name, value]) =>
      ["auth_token", "user", "pass", "jwt", "nkey", "sig"].includes(name) && value !== undefined && value !== ""
    )
    assert.deepStrictEqual(Object.fromEntries(shown), expected)
  })

  it("shows the user of a credentials file, and signs what the server says", async () => {
    const user = nkeys.createUser()
    const credentials = credentialsWith(Buffer.from(user.getSeed()).toString())
    const connect = await connectOf({ credentials, user: "u", secret: "s" }, { nonce: "abc" })
    assert.deepStrictEqual([connect["jwt"], connect["user"], connect["auth_token"]], [JWT, undefined, undefined])
    const signature = new Uint8Array(Buffer.from(String(connect["sig"]), "base64url"))
    assert.isTrue(user.verify(new TextEncoder().encode("abc"), signature))
  })
})

describe("the time for an answer of NATS", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  it("leaves no timer behind once the event is accepted", async () => {
    const { network } = natsServer()
    const sender = natsSender(HOOK, network, 12_345)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    const before = vi.getTimerCount()
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    assert.strictEqual(vi.getTimerCount(), before)
    sender.close()
    await vi.waitFor(() => assert.strictEqual(vi.getTimerCount(), 0))
  })
})
