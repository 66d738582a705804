import { type ModuleEventPayload, NodeError } from "@lockstep/sdk"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { signatureOf } from "../webhooks/src/send/signature.ts"
import { type Program, runProgram, soon } from "./program.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const bytes = (fill: number): Uint8Array => new Uint8Array(32).fill(fill)
const [TIP, NEXT] = [bytes(1), bytes(2)]
const HEADER = new Uint8Array(80)
HEADER.set(TIP, 4)

const HOOKS = [
  { name: "blocks", url: "http://hook.example/in", secret_file: "../key" },
  { name: "peers", url: "http://other.example/", events: ["PeerConnected"] },
  { name: "nats", url: "nats://nats.example", events: ["PeerDisconnected"] }
]

/** Requests that came over connections, each accepted once it is whole. */
const got: Array<{ readonly place: string; readonly head: string; readonly body: string }> = []
const places = new Map<number, string>()
const held = new Map<number, string>()

let isChainRefused = false
let program: Program
let emit: (event: ModuleEventPayload) => void = () => undefined
beforeAll(async () => {
  program = await runProgram(() => import("../webhooks/src/main.ts"), {
    settings: { hooks: JSON.stringify(HOOKS), timeout_seconds: "1" },
    first: (node) => {
      emit = node.emit
      writeFileSync(join(node.environment.dataDirectory, "key"), "a word\n")
    },
    answer: (request) => {
      switch (request._tag) {
        case "GetChainTip":
          return { _tag: "Hash", value: TIP }
        case "GetBlockHeader":
          return { _tag: "BlockHeader", value: HEADER }
        case "FollowChain":
          if (isChainRefused) throw new NodeError("ProtocolError", "no such block")
          return undefined
        case "ConnectNetwork":
          places.set(places.size + 1, request.address)
          if (request.address.startsWith("nats")) throw new NodeError("PermissionDenied", "it is not named")
          return { _tag: "NetworkConnected", connection_id: places.size, address: request.address }
        case "GrantNetwork":
          return { _tag: "NetworkGranted" }
        case "CloseNetwork":
          return { _tag: "NetworkClosing" }
        case "SendNetwork": {
          const { connection_id, data } = request
          const text = (held.get(connection_id) ?? "") + Buffer.from(data).toString()
          held.set(connection_id, text)
          const [head, body = ""] = text.split("\r\n\r\n")
          if (/content-length: (\d+)/.exec(head!)?.[1] === String(body.length)) {
            got.push({ place: places.get(connection_id)!, head: head!, body })
            emit({ _tag: "NetworkReceived", connection_id, data: Buffer.from("HTTP/1.1 204 OK\r\n\r\n") })
          }
          return { _tag: "NetworkSent", is_full: false }
        }
        default:
          return undefined
      }
    }
  })
  await soon(() => assert.include(program.logged(), "Info: 3 hooks follow the chain"))
})
afterAll(async () => {
  assert.strictEqual(await program.end(), 0)
})

describe("the program of the module webhooks", () => {
  it("subscribes to the chain and what hooks ask for, and offers methods and commands", async () => {
    const [{ event_types }] = program.asked("SubscribeEvents") as Shown
    assert.sameMembers(event_types, [
      "BlockDisconnected",
      "EventsDropped",
      "NewBlock",
      "PeerConnected",
      "PeerDisconnected"
    ])
    assert.deepStrictEqual(program.asked("FollowChain"), [{ _tag: "FollowChain", from_block: TIP }])
    assert.deepStrictEqual(program.asked("RegisterRpcEndpoint").map(({ method }) => method), [
      "getwebhooks",
      "retrywebhook",
      "skipwebhook",
      "testwebhook"
    ])
    const [{ spec }] = program.asked("RegisterCliSpec") as Shown
    assert.deepStrictEqual([spec.name, spec.about], ["tested", "Shows and controls webhooks."])
    const { payload } = await program.invoke({ _tag: "Cli", subcommand: "list", args: [] })
    assert.match((payload as Shown).stdout, /^blocks: idle, 0 waiting, .*\npeers: idle, .*\nnats: idle, .*\n$/)
  })

  it("sends a block to the hooks that ask for it, signed with the secret in the data directory", async () => {
    emit({ _tag: "NewBlock", block_hash: NEXT, height: 7 })
    await soon(() => assert.lengthOf(got, 1))
    const [{ body, head, place }] = got as [Shown]
    const { data, event, hook } = JSON.parse(body)
    assert.deepStrictEqual([place, hook, event, data.height], ["hook.example:80", "blocks", "NewBlock", 7])
    const time = Number(/lockstep-timestamp: (\d+)/.exec(head)![1])
    assert.include(head, `lockstep-signature: ${signatureOf("a word", time, Buffer.from(body))}`)
    emit({ _tag: "BlockDisconnected", hash: NEXT, height: 7 })
    await soon(() => assert.lengthOf(got, 2))
    assert.strictEqual(JSON.parse(got[1]!.body).event, "BlockDisconnected")
  })

  it("sends other events to the hooks that ask for them", async () => {
    const of = { transport_type: "v2", services: 0n, version: 1, peer_node_id: undefined }
    emit({ _tag: "PeerConnected", peer_addr: "a:1", ...of } as Shown)
    await soon(() => assert.lengthOf(got, 3))
    assert.deepStrictEqual([got[2]!.place, JSON.parse(got[2]!.body).data.peer_addr], ["other.example:80", "a:1"])
    await soon(async () => {
      const hooks = await program.call("getwebhooks") as Shown
      assert.deepStrictEqual(hooks.map(({ sent, waiting }: Shown) => [sent, waiting]), [[2, 0], [1, 0], [0, 0]])
    })
  })

  it("connects to a NATS server for its hooks, and tries again later where it is not reached", async () => {
    emit({ _tag: "PeerDisconnected", peer_addr: "a:1", reason: "b" })
    await soon(() => assert.include([...places.values()], "nats.example:4222"))
    await soon(async () => {
      const [, , nats] = await program.call("getwebhooks") as Shown
      assert.deepStrictEqual([nats.state, nats.waiting], ["failing", 1])
    })
  })

  it("says that events were dropped, and goes through the chain again from the last block", async () => {
    emit({ _tag: "EventsDropped", dropped: 3 } as Shown)
    await soon(() => assert.lengthOf(program.asked("FollowChain"), 2))
    assert.include(program.logged(), "Warn: 3 events were dropped; blocks are sent in full nevertheless")
  })

  it("plans nothing over a connection to the node that is lost, and follows the chain over the next one", async () => {
    const [begun, ended] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")]
    /** Timers of the next attempts to follow the chain, and to reach the NATS server. */
    const planned = (from: number, to: number): ReadonlyArray<unknown> =>
      begun.mock.calls.flatMap(([, after = 0], i) => after >= from && after <= to ? [begun.mock.results[i]!.value] : [])
    try {
      isChainRefused = true
      emit({ _tag: "EventsDropped", dropped: 1 } as Shown)
      await soon(() => assert.lengthOf(planned(5_000, 5_000), 1))
      await soon(async () => {
        await program.call("retrywebhook", ["nats"])
        assert.isNotEmpty(planned(3_000, 4_000))
      })
      isChainRefused = false
      const asked = program.asked("FollowChain").length
      // A module reads them anew.
      for (const [name, value] of Object.entries(program.variables)) vi.stubEnv(name, value)
      program.cut()
      await soon(() => assert.isAbove(program.asked("FollowChain").length, asked))
      const left = ended.mock.calls.map(([timer]) => timer as unknown)
      for (const timer of [...planned(5_000, 5_000), ...planned(3_000, 4_000)]) assert.include(left, timer)
    } finally {
      begun.mockRestore()
      ended.mockRestore()
      vi.unstubAllEnvs()
    }
  })
})
