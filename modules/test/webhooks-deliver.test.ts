import { type ModuleNetwork, type NetworkStream, type NodeClient, startModule } from "@lockstep/sdk"
import { fakeNode, type FakeNode } from "@lockstep/sdk/test-kit"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, assert, describe, it, vi } from "vitest"
import type { HttpHook } from "../webhooks/src/hook.ts"
import { openOutbox, type QueuedHook } from "../webhooks/src/queue/outbox.ts"
import { deliver, type DeliveryWorker } from "../webhooks/src/send/deliver.ts"
import { httpSender } from "../webhooks/src/send/http-sender.ts"
import { openPause } from "../webhooks/src/send/pause.ts"
import type { Delivery } from "../webhooks/src/send/sender.ts"
import { signatureOf } from "../webhooks/src/send/signature.ts"
import { rulesOf, SETTINGS } from "../webhooks/src/settings.ts"

const ends: Array<() => unknown> = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  vi.useRealTimers()
})

const HOOK: HttpHook = {
  name: "a",
  kind: "http",
  url: new URL("http://127.0.0.1:1/in?x=1"),
  events: ["NewBlock"],
  where: {},
  authorities: undefined,
  secret: undefined,
  headers: {}
}

const soon = (holds: () => void): Promise<void> => vi.waitFor(holds, { timeout: 20_000, interval: 2 })

/** The outbox of one hook, over a node's database. */
const queued = async (): Promise<
  { readonly fake: FakeNode; readonly put: (height: number) => Promise<void> } & QueuedHook
> => {
  const fake = await fakeNode()
  ends.push(fake.close)
  let node: NodeClient | undefined
  await startModule({ version: "1.0.0", setup: (context) => void (node = context.node) }, fake.environment)
  const outbox = await openOutbox(node!, [HOOK], 100)
  return { fake, put: (height) => outbox.put("NewBlock", { height }), ...outbox.hooks[0]! }
}

/** Deliveries to an endpoint that fails as often as a test says; a pause ends only when it is told to, or very late. */
const delivering = async (failures = 0) => {
  const at = await queued()
  const state = { failures, closed: 0 }
  const sent: Array<number> = []
  const said: Array<string> = []
  const sender = {
    send: ({ number }: Delivery) => {
      if (state.failures-- > 0) return Promise.reject(new Error("the line is cut"))
      sent.push(number)
      return Promise.resolve()
    },
    close: () => void state.closed++
  }
  const rules = { ...rulesOf(SETTINGS), failuresUntilDead: 3, longestPauseMs: 600_000 }
  const worker = deliver(at, sender, rules, {
    sent: (event) => void said.push(`sent ${event}`),
    failed: (event, error, { isDead, isFirst }) =>
      void said.push(`failed ${event}: ${error}${isFirst ? " first" : ""}${isDead ? " dead" : ""}`),
    recovered: (count) => void said.push(`recovered ${count}`)
  })
  ends.push(worker.stop)
  return { ...at, said, sent, state, worker }
}

/** Ends the pause until it has failed so often in a row. */
const failTimes = async (worker: DeliveryWorker, count: number): Promise<void> => {
  await soon(() => {
    const { consecutiveFailures, nextAttempt } = worker.facts()
    if (consecutiveFailures < count && nextAttempt !== undefined) worker.retry()
    assert.strictEqual(consecutiveFailures, count)
    assert.isDefined(nextAttempt)
  })
}

describe("deliveries of a hook", () => {
  it("come in order, each after the one before it, and are removed from the queue", async () => {
    const { fake, put, queue, said, sent, worker } = await delivering()
    assert.strictEqual(worker.facts().state, "idle")
    const looks = (): number => fake.requests.filter(({ _tag }) => _tag === "ListStorage").length
    await new Promise((resolve) => setTimeout(resolve, 20))
    // It looks once when it begins, and waits then.
    const before = looks()
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.strictEqual(looks(), before)
    for (const height of [1, 2, 3]) await put(height)
    await soon(() => assert.deepStrictEqual(sent, [1, 2, 3]))
    await soon(() => assert.strictEqual(queue.waiting(), 0))
    await put(4)
    await soon(() => assert.deepStrictEqual(sent, [1, 2, 3, 4]))
    await soon(() => assert.deepInclude(worker.facts(), { state: "idle", sent: 4, failures: 0, lastError: undefined }))
    assert.deepStrictEqual(said, Array(4).fill("sent NewBlock"))
  })

  it("are tried again until they are accepted; the first failure and the one that makes the endpoint dead are named", async () => {
    const { put, said, sent, state, worker } = await delivering(4)
    await put(1)
    await put(2)
    await failTimes(worker, 1)
    assert.deepInclude(worker.facts(), { state: "failing", failures: 1, lastError: "the line is cut" })
    await failTimes(worker, 2)
    await failTimes(worker, 3)
    assert.strictEqual(worker.facts().state, "dead")
    await failTimes(worker, 4)
    assert.strictEqual(worker.facts().state, "dead")
    worker.retry()
    await soon(() => assert.deepStrictEqual(sent, [1, 2]))
    await soon(() => assert.strictEqual(worker.facts().state, "idle"))
    assert.deepInclude(worker.facts(), { sent: 2, failures: 4, consecutiveFailures: 0, nextAttempt: undefined })
    const failed = "failed NewBlock: the line is cut"
    assert.deepStrictEqual(said, [
      `${failed} first`,
      failed,
      `${failed} dead`,
      failed,
      "recovered 4",
      "sent NewBlock",
      "sent NewBlock"
    ])
    // The next row begins anew.
    state.failures = 1
    await put(3)
    await failTimes(worker, 1)
    assert.strictEqual(said.at(-1), `${failed} first`)
  })

  it("go on with the next one when the oldest is skipped", async () => {
    const { put, queue, sent, state, worker } = await delivering(1_000)
    assert.isUndefined(await worker.skip())
    await put(1)
    await put(2)
    await failTimes(worker, 1)
    state.failures = 0
    assert.strictEqual(await worker.skip(), 1)
    // At once: the pause before the next attempt is over.
    assert.isUndefined(worker.facts().nextAttempt)
    await soon(() => assert.deepStrictEqual([sent, queue.waiting()], [[2], 0]))
  })

  it("end when they are stopped, also in a pause, and leave what waits", async () => {
    const { put, queue, said, state, worker } = await delivering(1_000)
    await put(1)
    await failTimes(worker, 1)
    worker.stop()
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepStrictEqual([said.length, state.closed, queue.waiting()], [1, 1, 1])
    assert.isUndefined(worker.facts().nextAttempt)
  })
})

describe("an event that is on its way when deliveries are stopped", () => {
  it("is no failure, and waits for the next start", async () => {
    const at = await queued()
    const said: Array<string> = []
    let refuse: ((error: Error) => void) | undefined
    const sender = {
      send: () =>
        new Promise<void>((_, reject) => {
          refuse = reject
        }),
      close: () => refuse!(new Error("it is over"))
    }
    const worker = deliver(at, sender, rulesOf(SETTINGS), {
      sent: () => void said.push("sent"),
      failed: () => void said.push("failed"),
      recovered: () => void said.push("recovered")
    })
    await at.put(1)
    await soon(() => assert.isDefined(refuse))
    assert.strictEqual(worker.facts().state, "delivering")
    worker.stop()
    await soon(() => assert.strictEqual(worker.facts().state, "idle"))
    assert.deepStrictEqual([said, worker.facts().failures, at.queue.waiting()], [[], 0, 1])
  })
})

describe("a pause", () => {
  it("ends in its time or when it is ended, leaves no timer, and says how long it lasts", async () => {
    vi.useFakeTimers({ now: 1_000, toFake: ["setTimeout", "clearTimeout", "Date"] })
    const pause = openPause()
    pause.end()
    assert.isUndefined(pause.until())
    const whole = pause.wait(500)
    assert.strictEqual(pause.until(), 1_500)
    vi.advanceTimersByTime(500)
    await whole
    assert.isUndefined(pause.until())
    const cut = pause.wait(500)
    pause.end()
    await cut
    assert.deepStrictEqual([pause.until(), vi.getTimerCount()], [undefined, 0])
  })
})

const DELIVERY: Delivery = { hook: "a", number: 7, event: "NewBlock", body: Buffer.from("{\"a\":1}") }

/** An endpoint that answers as a test says, and a network that leads there. */
const endpoint = async (answer: (request: IncomingMessage, response: ServerResponse, body: string) => void) => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => void (body += chunk.toString()))
    request.on("end", () => answer(request, response, body))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const streams: Array<Socket> = []
  const asked: Array<string> = []
  const network: ModuleNetwork = {
    listen: () => Promise.reject(new Error("it listens nowhere")),
    connect: async (address) => {
      asked.push(address)
      const socket = connect(port, "127.0.0.1")
      streams.push(socket)
      await once(socket, "connect")
      return socket as unknown as NetworkStream
    }
  }
  return { asked, network, streams }
}

const said = (sending: Promise<void>): Promise<string> =>
  sending.then(() => "accepted", (error: Error) => error.message)

describe("an event that is sent over HTTP", () => {
  it("is a request with what it is about in its headers, signed where there is a secret", async () => {
    let seen: { readonly request: IncomingMessage; readonly body: string } | undefined
    const { asked, network, streams } = await endpoint((request, response, body) => {
      seen = { request, body }
      response.end("thanks")
    })
    const url = new URL("http://us%20er:word@hook.example/in?x=1")
    const hook = { ...HOOK, url, secret: "key", headers: { "x-own": "1" } }
    const sender = httpSender(hook, network, 5_000)
    assert.strictEqual(await said(sender.send(DELIVERY)), "accepted")
    const { body, request: { headers, method, url: path } } = seen!
    assert.deepStrictEqual([method, path, body, asked], ["POST", "/in?x=1", "{\"a\":1}", ["hook.example:80"]])
    const time = Number(headers["lockstep-timestamp"])
    assert.isBelow(Math.abs(time - Date.now() / 1_000), 60)
    assert.deepInclude(headers, {
      authorization: `Basic ${Buffer.from("us er:word").toString("base64")}`,
      "x-own": "1",
      host: "hook.example",
      "content-type": "application/json",
      "content-length": "7",
      "lockstep-event": "NewBlock",
      "lockstep-delivery": "a-7",
      "lockstep-signature": signatureOf("key", time, DELIVERY.body)
    })
    await soon(() => assert.isTrue(streams[0]!.destroyed))
  })

  it.each([[199, false], [200, true], [204, true], [299, true], [300, false], [404, false], [500, false]])(
    "and answered with %d counts as accepted: %s",
    async (status, isAccepted) => {
      const { network, streams } = await endpoint((_, response) => {
        // A status below 200 announces another one.
        if (status < 200) response.socket!.end(`HTTP/1.1 ${status} Odd\r\n\r\n`)
        else response.writeHead(status, "Said").end()
      })
      const outcome = await said(httpSender(HOOK, network, 5_000).send(DELIVERY))
      assert.strictEqual(outcome === "accepted", isAccepted, outcome)
      if (status >= 300) assert.strictEqual(outcome, `the answer is ${status} Said`)
      await soon(() => assert.isTrue(streams.every(({ destroyed }) => destroyed)))
    }
  )

  it("is accepted by the head of an answer: the connection is closed though more of it would come", async () => {
    const { network, streams } = await endpoint((_, response) => void response.writeHead(200).write("and so on"))
    assert.strictEqual(await said(httpSender(HOOK, network, 60_000).send(DELIVERY)), "accepted")
    await soon(() => assert.isTrue(streams[0]!.destroyed))
  })

  it("has an answer in time, or its connection is closed", async () => {
    const { network, streams } = await endpoint(() => undefined)
    assert.strictEqual(await said(httpSender(HOOK, network, 50).send(DELIVERY)), "no answer in time")
    await soon(() => assert.isTrue(streams[0]!.destroyed))
  })

  it("fails where the node does not connect, or the other side hangs up", async () => {
    const { network } = await endpoint((request) => void request.socket.destroy())
    assert.notStrictEqual(await said(httpSender(HOOK, network, 5_000).send(DELIVERY)), "accepted")
    const refusing = { ...network, connect: () => Promise.reject(new Error("not named")) }
    assert.strictEqual(await said(httpSender(HOOK, refusing, 5_000).send(DELIVERY)), "not named")
  })
})
