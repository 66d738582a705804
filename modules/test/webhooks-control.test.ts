import { type JsonValue, NodeError } from "@lockstep/sdk"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"
import { commandsOf, methodsOf, type Served } from "../webhooks/src/control.ts"
import type { HttpHook } from "../webhooks/src/hook.ts"
import { reportsOf } from "../webhooks/src/report.ts"
import type { DeliveryFacts } from "../webhooks/src/send/deliver.ts"

const hook = (name: string): HttpHook => ({
  name,
  kind: "http",
  url: new URL("https://user:word@a.example/b?token=1"),
  events: ["NewBlock", "BlockDisconnected"],
  where: {},
  authorities: undefined,
  secret: undefined,
  headers: {}
})

const IDLE: DeliveryFacts = {
  state: "idle",
  sent: 5,
  failures: 2,
  consecutiveFailures: 0,
  lastError: undefined,
  nextAttempt: undefined
}

/** Two hooks; what was asked of each is in `done`. */
const served = (facts: Partial<DeliveryFacts> = {}) => {
  const done: Array<string> = []
  let oldest: number | undefined = 41
  const hooks = ["a", "b"].map((name, i) => ({
    hook: hook(name),
    queue: { waiting: () => 7 + i, dropped: () => 3 },
    worker: {
      facts: () => ({ ...IDLE, ...facts }),
      retry: () => void done.push(`retry ${name}`),
      skip: () => {
        done.push(`skip ${name}`)
        const skipped = oldest
        oldest = undefined
        return Promise.resolve(skipped)
      },
      stop: () => undefined
    }
  }))
  const outbox = {
    putTest: ({ hook: { name } }: { readonly hook: HttpHook }) => {
      done.push(`test ${name}`)
      return Promise.resolve(9)
    }
  }
  const all = { hooks, outbox } as unknown as Served
  const [methods, commands] = [methodsOf(() => all), commandsOf(() => all)]
  return {
    done,
    call: async (method: string, params: JsonValue = []): Promise<unknown> =>
      await methods[method]!.call(params, undefined as never),
    run: async (command: string, ...words: ReadonlyArray<string>): Promise<unknown> =>
      await commands[command]!.run!(words as never, undefined as never),
    methods,
    commands
  }
}

const refusal = (work: Promise<unknown>): Promise<string> => work.then(() => "", (error: Error) => error.message)

describe("the methods of webhooks", () => {
  it("list hooks without the secrets of their URLs, and with an error and a next attempt only where there are any", async () => {
    const [first, second] = await served().call("getwebhooks") as ReadonlyArray<unknown>
    assert.deepStrictEqual(first, {
      name: "a",
      url: "https://a.example/b",
      events: ["NewBlock", "BlockDisconnected"],
      state: "idle",
      waiting: 7,
      sent: 5,
      failures: 2,
      consecutive_failures: 0,
      dropped: 3
    })
    assert.deepInclude(second, { name: "b", waiting: 8 })
    const facts = { lastError: "cut", nextAttempt: 1_700_000_000_001, consecutiveFailures: 4, state: "dead" } as const
    const [failing] = await served(facts).call("getwebhooks") as ReadonlyArray<unknown>
    assert.deepInclude(failing, {
      state: "dead",
      consecutive_failures: 4,
      last_error: "cut",
      next_attempt: 1_700_000_001
    })
  })

  it.each<readonly [string, JsonValue, unknown, string]>([
    ["retrywebhook", ["b"], { waiting: 8 }, "retry b"],
    ["retrywebhook", { name: "a" }, { waiting: 7 }, "retry a"],
    ["skipwebhook", ["b"], { skipped: 41 }, "skip b"],
    ["testwebhook", { name: "b" }, { waiting: 9 }, "test b"]
  ])("%s with %j works on the hook of that name", async (method, params, expected, said) => {
    const { call, done } = served()
    assert.deepStrictEqual(await call(method, params), expected)
    assert.deepStrictEqual(done, [said])
  })

  it("skipwebhook answers null where nothing waits", async () => {
    const { call } = served()
    await call("skipwebhook", ["a"])
    assert.deepStrictEqual(await call("skipwebhook", ["a"]), { skipped: null })
  })

  it.each<readonly [string, JsonValue, string]>([
    ["retrywebhook", ["c"], "c"],
    ["skipwebhook", {}, "undefined"],
    ["testwebhook", null, "undefined"]
  ])("%s with %j names the hooks that there are", async (method, params, name) => {
    const { call, done } = served()
    assert.strictEqual(await refusal(call(method, params)), `there is no hook ${name}; there are a, b`)
    assert.deepStrictEqual(done, [])
  })

  it("say what they do", () => {
    const { commands, methods } = served()
    for (const each of Object.values(methods)) assert.match(each.description, /^[A-Z].*\.$/)
    for (const [name, each] of Object.entries(commands)) {
      assert.match(each.about, /^[A-Z].*\.$/)
      const required = each.arguments?.map((one) => [one.name, one.required])
      assert.deepStrictEqual(required, name === "list" ? undefined : [["name", true]])
    }
  })
})

describe("the commands of webhooks", () => {
  it("list a line for each hook, with the last error where there is one", async () => {
    assert.deepStrictEqual(await served().run("list"), {
      stdout: "a: idle, 7 waiting, 5 sent, 2 failed, 3 dropped\nb: idle, 8 waiting, 5 sent, 2 failed, 3 dropped\n"
    })
    const { stdout } = await served({ state: "failing", lastError: "cut" }).run("list") as { readonly stdout: string }
    assert.strictEqual(stdout.split("\n")[0], "a: failing, 7 waiting, 5 sent, 2 failed, 3 dropped (cut)")
  })

  it("retry, skip and test the hook that they name", async () => {
    const { done, run } = served()
    assert.deepStrictEqual(await run("retry", "b"), { stdout: "8 waiting\n" })
    assert.deepStrictEqual(await run("skip", "a"), { stdout: "41 skipped\n" })
    assert.deepStrictEqual(await run("skip", "a"), { stdout: "nothing skipped\n" })
    assert.deepStrictEqual(await run("test", "b"), { stdout: "9 waiting\n" })
    assert.deepStrictEqual(done, ["retry b", "skip a", "skip a", "test b"])
    assert.strictEqual(await refusal(run("skip", "x")), "there is no hook x; there are a, b")
  })
})

describe("reports of deliveries", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_700_000_000_999, toFake: ["Date"] }))
  afterEach(() => void vi.useRealTimers())

  const reporting = (isRefused = false) => {
    const asked: Array<readonly [string, unknown]> = []
    const logged: Array<string> = []
    const node = {
      ask: (name: string, request: unknown) => {
        asked.push([name, request])
        return isRefused ? Promise.reject(new NodeError("ResourceExhausted", "too many")) : Promise.resolve({})
      },
      log: (level: string, text: string) => void logged.push(`${level}: ${text}`)
    }
    return { asked, logged, reports: reportsOf(node as never, hook("a")) }
  }

  const counter = (name: string, value: number) => [
    "ReportMetric",
    {
      metric: {
        name,
        value: { _tag: "Counter", value },
        labels: new Map([["hook", "a"]]),
        timestamp: 1_700_000_000
      }
    }
  ]

  it("count what was sent, and tell other modules without the secrets of the URL", () => {
    const { asked, logged, reports } = reporting()
    reports.sent("NewBlock")
    reports.sent("NewBlock")
    const event = [
      "PublishEvent",
      {
        event_type: "WebhookSent",
        payload: { _tag: "WebhookSent", webhook_url: "https://a.example/b", event_type: "NewBlock", success: true }
      }
    ]
    assert.deepStrictEqual(asked as ReadonlyArray<unknown>, [
      counter("webhooks_sent_a", 1),
      event,
      counter("webhooks_sent_a", 2),
      event
    ])
    assert.deepStrictEqual(logged, [])
  })

  it("count failures, and log the first of a row, the one that makes the hook dead, and the end of the row", () => {
    const { asked, logged, reports } = reporting()
    reports.failed("NewBlock", "cut", { isFirst: true, isDead: false })
    reports.failed("NewBlock", "cut", { isFirst: false, isDead: false })
    reports.failed("NewBlock", "late", { isFirst: false, isDead: true })
    reports.recovered(3)
    assert.deepStrictEqual(logged, [
      "Warn: the hook a failed: cut; it is tried again",
      "Error: the hook a is dead: late; its events wait",
      "Info: the hook a works again after 3 failed attempts"
    ])
    assert.deepStrictEqual(asked[4] as unknown, counter("webhooks_failed_a", 3))
    assert.deepStrictEqual(asked[5] as unknown, [
      "PublishEvent",
      {
        event_type: "WebhookFailed",
        payload: { _tag: "WebhookFailed", webhook_url: "https://a.example/b", event_type: "NewBlock", error: "late" }
      }
    ])
  })

  it("that the node refuses are no fault", async () => {
    const { asked, reports } = reporting(true)
    reports.sent("NewBlock")
    reports.failed("NewBlock", "cut", { isFirst: false, isDead: false })
    // A rejection that is not caught would end this process.
    await new Promise((resolve) => void setImmediate(resolve))
    assert.lengthOf(asked, 4)
  })
})
