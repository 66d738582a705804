import { existsSync, rmSync } from "node:fs"
import { afterEach, assert, describe, it } from "vitest"
import { moduleEnvironment, NodeError, startModule } from "../src/index.ts"
import { type FakeNode, fakeNode, type FakeNodeOptions } from "../src/test-kit/fake-node.ts"

const open: Array<FakeNode> = []
const aNode = async (options?: FakeNodeOptions): Promise<FakeNode> => {
  const node = await fakeNode(options)
  open.push(node)
  return node
}
afterEach(async () => {
  for (const node of open.splice(0)) await node.close()
})

const SENT = { _tag: "WebhookSent", webhook_url: "http://a", event_type: "NewBlock", success: true }

const HASH = new Uint8Array(32)

describe("the fake node of the test kit", () => {
  it.each<readonly [type: string, fields: object | undefined, answer: string]>([
    ["SubscribeEvents", { event_types: ["NewBlock"] }, "SubscribeAck"],
    ["FollowChain", { from_block: undefined }, "SubscribeAck"],
    ["FollowMempool", undefined, "SubscribeAck"],
    ["FollowNotifications", undefined, "SubscribeAck"],
    ["RegisterRpcEndpoint", { method: "a", description: "b" }, "RpcEndpointRegistered"],
    ["UnregisterRpcEndpoint", { method: "a" }, "RpcEndpointUnregistered"],
    ["RegisterCoreRpcOverride", { method: "a", description: "b" }, "CoreRpcOverrideRegistered"],
    ["UnregisterCoreRpcOverride", { method: "a" }, "CoreRpcOverrideUnregistered"],
    ["RegisterModuleApi", { methods: [], api_version: 1 }, "ModuleApiRegistered"],
    ["UnregisterModuleApi", undefined, "ModuleApiUnregistered"],
    ["PublishEvent", { event_type: "WebhookSent", payload: SENT }, "EventPublished"],
    [
      "ReportMetric",
      { metric: { name: "a", value: { _tag: "Counter", value: 1 }, labels: new Map(), timestamp: 1 } },
      "MetricReported"
    ],
    ["ReportModuleHealth", { health: { _tag: "Healthy" } }, "HealthReported"]
  ])("acknowledges %s", async (type, fields, answer) => {
    const node = await aNode()
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    const ask = context.node.ask as (type: string, fields?: object) => Promise<{ readonly _tag: string }>
    const said = await ask(type, fields).catch((error: Error) => ({ _tag: error.message }))
    assert.strictEqual(said._tag, answer)
    assert.strictEqual(node.requests.at(-1)!._tag, type)
  })

  it("refuses what it has no answer to, and as its test says, with the kind of an error", async () => {
    const refusals = [new NodeError("PermissionDenied", "not you"), new Error("a defect")]
    const node = await aNode({
      answer: ({ _tag }) => {
        const refusal = _tag === "GetUtxo" ? refusals.shift() : undefined
        if (refusal !== undefined) throw refusal
        return undefined
      }
    })
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    const asked = () =>
      context.node.ask("GetUtxo", { outpoint: { hash: HASH, index: 0 } }).then(
        () => "answered",
        ({ kind, message }: NodeError) => `${kind}: ${message}`
      )
    assert.strictEqual(await asked(), "PermissionDenied: not you")
    assert.match(await asked(), /a defect$/)
    assert.match(await asked(), /the fake node has no answer to GetUtxo$/)
  })

  it("distinguishes several invocations at once, whichever is answered first", async () => {
    const node = await aNode()
    const order: Array<() => void> = []
    await startModule({
      version: "1.0.0",
      rpc: { echo: { description: "", call: (params) => new Promise((resolve) => order.push(() => resolve(params))) } }
    }, node.environment)
    const results = ["[1]", "[2]"].map((params) => node.invoke({ _tag: "Rpc", method: "echo", params }))
    while (order.length < 2) await new Promise((resolve) => setImmediate(resolve))
    for (const answer of order.reverse()) answer()
    const payloads = (await Promise.all(results)).map(({ payload }) => payload)
    assert.deepStrictEqual(payloads, [{ _tag: "Rpc", result: "[1]" }, { _tag: "Rpc", result: "[2]" }])
  })

  it("says when a request has come, before it and after it, and keeps the log", async () => {
    const node = await aNode()
    const before = [node.received("GetChainTip"), node.received("GetChainTip")]
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    await context.node.ask("GetChainTip").catch(() => undefined)
    for (const each of [...before, node.received("GetChainTip")]) assert.strictEqual((await each)._tag, "GetChainTip")
    context.node.log("Warn", "careful")
    await context.node.ask("GetChainTip").catch(() => undefined)
    assert.deepStrictEqual(node.log.map(({ level, message, target }) => [level, message, target]), [
      ["Warn", "careful", "tested"]
    ])
  })

  it("gives a module its environment and variables, which are the same, and leaves no directory", async () => {
    const node = await aNode({ name: "watcher", settings: { every: "5" } })
    assert.deepStrictEqual(moduleEnvironment({ ...node.variables }, undefined), node.environment)
    assert.deepStrictEqual([node.environment.name, [...node.environment.settings]], ["watcher", [["every", "5"]]])
    const { dataDirectory, socketPath } = node.environment
    assert.isTrue(existsSync(socketPath))
    await node.close()
    open.length = 0
    assert.deepStrictEqual([existsSync(socketPath), existsSync(dataDirectory)], [false, false])
  })

  it("can be closed twice, and where its directory is gone, before any module has come", async () => {
    const node = await aNode()
    node.emit({ _tag: "NewBlock", block_hash: HASH, height: 1 })
    node.cut()
    rmSync(node.environment.dataDirectory, { recursive: true })
    await node.close()
    await node.close()
    open.length = 0
  })

  it("is named tested and has no settings unless its test says so", async () => {
    const node = await aNode()
    assert.deepStrictEqual([node.environment.name, node.environment.settings.size], ["tested", 0])
    assert.strictEqual(Object.keys(node.variables).length, 4)
  })

  it("keeps every request in order, the handshake first", async () => {
    const node = await aNode({ name: "watcher" })
    const { context } = await startModule({ version: "1.2.3" }, node.environment)
    await context.node.ask("ReadStorage", { keys: [] })
    assert.deepStrictEqual(node.requests, [
      { _tag: "Handshake", module_id: "one-spawn", module_name: "watcher", version: "1.2.3" },
      { _tag: "ReadStorage", keys: [] }
    ])
  })

  it("has a database whose keys are in order, and lists them between bounds from either end", async () => {
    const node = await aNode()
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    const { ask } = context.node
    const entry = (key: number, value = key) => ({ key: Uint8Array.of(key), value: Uint8Array.of(value) })
    const keysOf = ({ value }: { readonly value: ReadonlyArray<{ readonly key: Uint8Array }> }) =>
      value.map(({ key }) => key[0])
    await ask("WriteStorage", { puts: [3, 1, 2, 5].map((key) => entry(key)), removals: [] })
    await ask("WriteStorage", { puts: [entry(1, 9)], removals: [Uint8Array.of(5), Uint8Array.of(7)] })
    assert.deepStrictEqual(node.database(), [entry(1, 9), entry(2), entry(3)])
    const listed = (from: number, to: number | undefined, limit: number, reverse: boolean) =>
      ask("ListStorage", {
        from: Uint8Array.of(from),
        to: to === undefined ? undefined : Uint8Array.of(to),
        limit,
        reverse
      }).then(keysOf)
    assert.deepStrictEqual(await listed(0, undefined, 10, false), [1, 2, 3])
    assert.deepStrictEqual(await listed(2, undefined, 10, true), [3, 2])
    assert.deepStrictEqual(await listed(1, 3, 10, false), [1, 2])
    assert.deepStrictEqual(await listed(1, undefined, 1, true), [3])
    const { value } = await ask("ReadStorage", { keys: [Uint8Array.of(1), Uint8Array.of(5)] })
    assert.deepStrictEqual(value, [Uint8Array.of(9), undefined])
    await ask("ClearStorage")
    assert.deepStrictEqual(node.database(), [])
  })
})
