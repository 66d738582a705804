import { afterEach, assert, describe, it } from "vitest"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { JsonNumber, moduleEnvironment, NodeError, RpcError, startModule } from "../src/index.ts"
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

const HASH = new Uint8Array(32).fill(7)
const SENT = { _tag: "WebhookSent", webhook_url: "http://a", event_type: "NewBlock", success: true } as const

describe("a module on the fake node", () => {
  it("shakes hands first, then sets up, offers its methods, and subscribes last", async () => {
    const node = await aNode({ name: "watcher" })
    await startModule({
      version: "1.2.3",
      setup: (context) => context.node.log("Info", "set up"),
      rpc: { hello: { description: "says hello", call: () => "hello" } },
      commands: { about: "about", subcommands: { show: { about: "shows", run: () => ({ stdout: "shown\n" }) } } },
      api: { version: 2, methods: { echo: (params) => params } },
      events: { NewBlock: () => undefined }
    }, node.environment)
    assert.deepStrictEqual(node.requests.map(({ _tag }) => _tag), [
      "Handshake",
      "RegisterRpcEndpoint",
      "RegisterCliSpec",
      "RegisterModuleApi",
      "SubscribeEvents"
    ])
    const { moduleId } = node.environment
    assert.deepInclude(node.requests[0], { module_id: moduleId, module_name: "watcher", version: "1.2.3" })
    assert.deepInclude(node.requests[3], { methods: ["echo"], api_version: 2 })
    assert.deepInclude(node.requests[4], { event_types: ["NewBlock"] })
    assert.deepInclude(node.log[0], { level: "Info", message: "set up", target: "watcher" })
  })

  it("subscribes to what its settings name, and is ready after that", async () => {
    const node = await aNode({ settings: { type: "NewTransaction" } })
    let handle: (type: string) => void = () => undefined
    const handled = new Promise<string>((resolve) => {
      handle = resolve
    })
    await startModule({
      version: "1.0.0",
      settings: { type: "NewBlock" },
      events: ({ type }) => ({ [type]: ({ _tag }: { readonly _tag: string }) => handle(_tag) }),
      ready: (context) => context.node.ask("PublishEvent", { event_type: "WebhookSent", payload: SENT })
    }, node.environment)
    assert.deepStrictEqual(node.requests.map(({ _tag }) => _tag), ["Handshake", "SubscribeEvents", "PublishEvent"])
    assert.deepInclude(node.requests[1], { event_types: ["NewTransaction"] })
    node.emit({ _tag: "NewTransaction", tx_hash: HASH })
    assert.strictEqual(await handled, "NewTransaction")
  })

  it("asks many things at once, and each answer or refusal finds its question", async () => {
    const node = await aNode({
      answer: async (request) => {
        if (request._tag === "GetBlockByHeight") {
          // Answers overtake each other.
          await new Promise((resolve) => setTimeout(resolve, 10 - request.height))
          return { _tag: "BlockByHeight", value: Uint8Array.of(request.height) }
        }
        throw new NodeError("PermissionDenied", "GetUtxo needs read_utxo")
      }
    })
    const { context } = await startModule({ version: "1.0.0" }, node.environment)
    const answers = await Promise.all([1, 2, 3].map((height) => context.node.ask("GetBlockByHeight", { height })))
    assert.deepStrictEqual(answers.map(({ value }) => value?.[0]), [1, 2, 3])
    const refused = await context.node.ask("GetUtxo", { outpoint: { hash: HASH, index: 0 } }).catch((e: unknown) => e)
    assert.instanceOf(refused, NodeError)
    assert.strictEqual(refused.kind, "PermissionDenied")
    assert.strictEqual(refused.message, "GetUtxo needs read_utxo")
  })

  it("handles events in order, one at a time, and goes on after a handler that fails", async () => {
    const node = await aNode()
    const seen: Array<string> = []
    await new Promise<void>((done) => {
      void startModule({
        version: "1.0.0",
        events: {
          NewBlock: async ({ height }) => {
            seen.push(`begin ${height}`)
            await new Promise((resolve) => setTimeout(resolve, 5))
            seen.push(`end ${height}`)
            if (height === 1) throw new Error("no")
            if (height === 2) done()
          }
        }
      }, node.environment).then(() => {
        for (const height of [1, 2]) node.emit({ _tag: "NewBlock", block_hash: HASH, height })
      })
    })
    assert.deepStrictEqual(seen, ["begin 1", "end 1", "begin 2", "end 2"])
    assert.deepInclude(node.log[0], { level: "Error", message: "the handler of NewBlock failed: Error: no" })
  })

  it("answers invocations of each kind, and an error is an answer", async () => {
    const node = await aNode({ settings: { greeting: "hi" } })
    await startModule({
      version: "1.0.0",
      settings: { greeting: "hello" },
      rpc: {
        greet: { description: "greets", call: (params, { settings }) => [settings.greeting, params] },
        fail: {
          description: "fails",
          call: () => {
            throw new Error("it failed")
          }
        }
      },
      commands: {
        about: "about",
        subcommands: { show: { about: "shows", run: (args) => ({ stdout: args.join(), exitCode: 3 }) } }
      },
      api: { version: 1, methods: { twice: (params, caller) => Uint8Array.of(...params, ...params, caller.length) } }
    }, node.environment)
    assert.deepStrictEqual((await node.invoke({ _tag: "Rpc", method: "greet", params: "[1]" })).payload, {
      _tag: "Rpc",
      result: "[\"hi\",[1]]"
    })
    assert.deepStrictEqual((await node.invoke({ _tag: "Cli", subcommand: "show", args: ["a", "b"] })).payload, {
      _tag: "Cli",
      stdout: "a,b",
      stderr: "",
      exit_code: 3
    })
    const call = { _tag: "ModuleApi", method: "twice", params: Uint8Array.of(9), caller_module_id: "other" } as const
    assert.deepStrictEqual((await node.invoke(call)).payload, { _tag: "ModuleApi", data: Uint8Array.of(9, 9, 5) })
    for (const [method, error] of [["fail", "it failed"], ["none", "there is no method none"]] as const) {
      assert.deepInclude(await node.invoke({ _tag: "Rpc", method, params: "null" }), { success: false, error })
    }
  })

  it("refuses to send an answer for which the node would end the connection", async () => {
    const node = await aNode()
    await startModule({
      version: "1.0.0",
      rpc: { long: { description: "long", call: (params) => "a".repeat((params as ReadonlyArray<number>)[0]!) } }
    }, node.environment)
    const [fits, exceeds] = [8 * 1024 * 1024 - 1_024 - 2, 8 * 1024 * 1024 - 1_024 - 1]
    assert.deepInclude(await node.invoke({ _tag: "Rpc", method: "long", params: `[${fits}]` }), { success: true })
    assert.deepInclude(await node.invoke({ _tag: "Rpc", method: "long", params: `[${exceeds}]` }), {
      success: false,
      error: `ResourceExhausted: the answer has ${exceeds + 2} bytes`
    })
  })

  it("answers with numbers by their digits, and with the codes of its errors", async () => {
    const node = await aNode()
    await startModule({
      version: "1.0.0",
      rpc: {
        amount: {
          description: "an amount",
          call: () => ({
            btc: new JsonNumber("0.00001000"),
            none: undefined,
            list: [new JsonNumber("-1e+3"), null, "a"]
          })
        },
        refuse: {
          description: "refuses",
          call: () => {
            throw new RpcError(-22, "no")
          }
        }
      }
    }, node.environment)
    assert.deepStrictEqual((await node.invoke({ _tag: "Rpc", method: "amount", params: "[]" })).payload, {
      _tag: "Rpc",
      result: `{"btc":0.00001000,"list":[-1e+3,null,"a"]}`
    })
    assert.deepInclude(await node.invoke({ _tag: "Rpc", method: "refuse", params: "[]" }), {
      success: false,
      error: "no",
      payload: { _tag: "Rpc", result: `{"code":-22}` }
    })
    for (const digits of ["", "1.", "0x1", "01", "1,2", "NaN"]) assert.throws(() => new JsonNumber(digits), /no number/)
    assert.throws(() => new RpcError(1.5, "no"), /no code/)
  })

  it("ends with its node, what waits is refused, and `stopped` has run", async () => {
    const node = await aNode({ answer: () => new Promise(() => undefined) })
    let stopped = false
    const { context, over } = await startModule({
      version: "1.0.0",
      stopped: () => {
        stopped = true
      }
    }, node.environment)
    const asked = context.node.ask("GetChainTip").catch((error: NodeError) => error.kind)
    await node.received("GetChainTip")
    await node.close()
    open.length = 0
    assert.strictEqual(await asked, "ConnectionError")
    await over
    assert.isTrue(stopped)
  })

  it("ends its connections of the network and what it does with an event before `stopped` runs", async () => {
    const node = await aNode({
      answer: (request) =>
        request._tag === "ConnectNetwork"
          ? { _tag: "NetworkConnected", connection_id: 3, address: "127.0.0.1:9" }
          : request._tag === "GrantNetwork"
          ? { _tag: "NetworkGranted" }
          : undefined
    })
    const seen: Array<string> = []
    let begun: () => void = () => undefined
    const handling = new Promise<void>((resolve) => {
      begun = resolve
    })
    const { context, over } = await startModule({
      version: "1.0.0",
      events: {
        NewBlock: async () => {
          begun()
          await new Promise((resolve) => setTimeout(resolve, 50))
          seen.push("handled")
        }
      },
      stopped: () => void seen.push("stopped")
    }, node.environment)
    const stream = await context.network.connect("127.0.0.1:9")
    // Answered behind the stream's own, which would end it if it were refused.
    await context.node.ask("GrantNetwork", { connection_id: 3, bytes: 1 })
    node.emit({ _tag: "NewBlock", block_hash: HASH, height: 1 })
    await handling
    await node.close()
    open.length = 0
    await over
    assert.deepStrictEqual(seen, ["handled", "stopped"])
    assert.isTrue(stream.destroyed)
  })

  it.each([
    [{ colour: "red" }, "unknown setting \"colour\" (settings of this module: every, names)"],
    [{ names: "[1]" }, "the setting names must be a list of texts, and is [1]"],
    [{ names: "[\"a\"" }, "the setting names must be a list of texts, and is [\"a\""],
    [{ every: "often" }, "the setting every must be a number, and is often"]
  ])("refuses the settings %o before it connects", async (settings, message) => {
    const node = await aNode({ settings })
    const started = startModule({ version: "1.0.0", settings: { every: 1, names: ["a"] } }, node.environment)
    assert.strictEqual(await started.catch((error: Error) => error.message), message)
    assert.isEmpty(node.requests)
  })

  it("finds settings in the config.toml beside its manifest, and those of the node precede them", async () => {
    const node = await aNode({ settings: { every: "5" } })
    const directory = node.environment.dataDirectory
    mkdirSync(join(directory, "target", "release"), { recursive: true })
    const program = join(directory, "target", "release", "run")
    writeFileSync(join(directory, "module.toml"), "")
    writeFileSync(join(directory, "config.toml"), `every = 3\nMax-Size = 7\nnames = ["a", "b"]\n`)
    const environment = moduleEnvironment({ ...node.variables }, program)
    const { context } = await startModule(
      { version: "1.0.0", settings: { every: 1, max_size: 1, names: [""] } },
      environment
    )
    assert.deepStrictEqual(context.settings, { every: 5, max_size: 7, names: ["a", "b"] })
    writeFileSync(join(directory, "config.toml"), "every =")
    assert.throws(() => moduleEnvironment({ ...node.variables }, program), /config\.toml cannot be used/)
  })
})
