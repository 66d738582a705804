import { assert, describe, it } from "@effect/vitest"
import {
  ANSWER_OF_REQUEST,
  type Permission,
  PERMISSION_OF_REQUEST,
  type RequestPayload
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { EventBus } from "../../src/events/event-bus.ts"
import { MAX_TIMERS } from "../../src/modules/api/module-timers.ts"
import { MAX_METRICS } from "../../src/modules/api/reported-metrics.ts"
import { HASH, networkOf, ok, plain, text } from "./api-network.ts"
import { useSockets } from "./test-module.ts"
import { apisOf, connectedModule } from "./test-node-side.ts"

useSockets()

const chain = {
  call: () => Effect.succeed({ work: 300n, seconds: 100 }),
  state: () => undefined,
  states: undefined
} as never

const metric = (name: string) =>
  ({ name, value: { _tag: "Counter", value: 1 }, labels: new Map([["a", "b"]]), timestamp: 1 }) as const

/** Requests in order, each with its answer: its payload, or a part of the refusal. */
type Script = ReadonlyArray<readonly [request: RequestPayload, answer: object | string]>

const done = ok("Bool", true)

const SCRIPTS: Readonly<Record<string, Script>> = {
  "the network": [
    [
      { _tag: "GetNetworkStats" },
      ok("NetworkStats", { peer_count: 1, hash_rate: 3, bytes_sent: 3, bytes_received: 4 })
    ],
    [
      { _tag: "GetNetworkPeers" },
      ok("NetworkPeers", [
        { addr: "192.0.2.1:8333", transport_type: "v2", services: 9n, version: 70_016, connected_since: 5 }
      ])
    ],
    [
      { _tag: "GetSyncStatus" },
      ok("NodeSyncStatus", { phase: "Blocks", progress: 0.45, is_synced: false, error_message: undefined })
    ],
    [{ _tag: "BanPeer", peer_addr: "192.0.2.1:8333", ban_duration_seconds: 5 }, ok("PeerBanned")],
    [{ _tag: "BanPeer", peer_addr: "2001:db8::/32", ban_duration_seconds: undefined }, ok("PeerBanned")],
    [{ _tag: "BanPeer", peer_addr: "example.org", ban_duration_seconds: 5 }, "example.org is no address"],
    [{ _tag: "BanPeer", peer_addr: "192.0.2.1", ban_duration_seconds: 0 }, "must be from 1 to"]
  ],
  "what is not served": [
    [{ _tag: "MergeBlockServeDenylist", block_hashes: [HASH] }, ok("BlockServeDenylistMerged")],
    [
      { _tag: "GetBlockServeDenylistSnapshot" },
      ok("BlockServeDenylistSnapshot", { total_count: 1, truncated: false, hashes: [HASH] })
    ],
    [{ _tag: "ReplaceTxServeDenylist", tx_hashes: [HASH] }, ok("TxServeDenylistMerged")],
    [{ _tag: "ClearTxServeDenylist" }, ok("TxServeDenylistMerged")],
    [{ _tag: "MergeTxServeDenylist", tx_hashes: [HASH] }, ok("TxServeDenylistMerged")],
    [
      { _tag: "GetTxServeDenylistSnapshot" },
      ok("TxServeDenylistSnapshot", { total_count: 1, truncated: false, hashes: [HASH] })
    ],
    [{ _tag: "ReplaceBlockServeDenylist", block_hashes: [] }, ok("BlockServeDenylistMerged")],
    [{ _tag: "MergeBlockServeDenylist", block_hashes: [HASH] }, ok("BlockServeDenylistMerged")],
    [{ _tag: "ClearBlockServeDenylist" }, ok("BlockServeDenylistMerged")],
    [
      { _tag: "GetBlockServeDenylistSnapshot" },
      ok("BlockServeDenylistSnapshot", { total_count: 0, truncated: false, hashes: [] })
    ],
    [{ _tag: "SetBlockServeMaintenanceMode", enabled: true }, ok("BlockServeMaintenanceModeSet")]
  ],
  "files": [
    [{ _tag: "CreateDirectory", path: "a" }, done],
    [{ _tag: "WriteFile", path: "a/b", data: text("one") }, done],
    [{ _tag: "WriteFile", path: "a/b", data: text("other") }, done],
    [{ _tag: "ReadFile", path: "a/b" }, ok("FileData", text("other"))],
    [{ _tag: "ListDirectory", path: "." }, ok("DirectoryListing", ["a"])],
    [{ _tag: "ListDirectory", path: "a" }, ok("DirectoryListing", ["b"])],
    [{ _tag: "DeleteFile", path: "a" }, "is a directory that is not empty"],
    [{ _tag: "DeleteFile", path: "a/b" }, done],
    [{ _tag: "GetFileMetadata", path: "a/b" }, "is not there"],
    [{ _tag: "CreateDirectory", path: "a" }, "is there already"],
    [{ _tag: "WriteFile", path: "", data: text("") }, "names no file"],
    [{ _tag: "ReadFile", path: "a" }, "is no regular file"]
  ],
  "the module's own database": [
    [
      {
        _tag: "WriteStorage",
        puts: [{ key: text("a"), value: text("1") }, { key: text("b"), value: text("2") }],
        removals: []
      },
      ok("StorageWritten")
    ],
    [{ _tag: "ReadStorage", keys: [text("b"), text("c")] }, ok("StorageValues", [text("2"), undefined])],
    [
      { _tag: "ListStorage", from: text(""), to: undefined, limit: 1, reverse: true },
      ok("StorageEntries", [{ key: text("b"), value: text("2") }])
    ],
    [{ _tag: "WriteStorage", puts: [], removals: [text("b")] }, ok("StorageWritten")],
    [
      { _tag: "ListStorage", from: text("a"), to: text("z"), limit: 9, reverse: false },
      ok("StorageEntries", [{ key: text("a"), value: text("1") }])
    ],
    [{ _tag: "ClearStorage" }, ok("StorageWritten")],
    [{ _tag: "ReadStorage", keys: [text("a")] }, ok("StorageValues", [undefined])],
    [{ _tag: "ReadStorage", keys: [text("")] }, "a key has 1 to 511 bytes"],
    [{ _tag: "ListStorage", from: text(""), to: undefined, limit: 0, reverse: false }, "limit must be at least 1"]
  ],
  "timers": [
    [{ _tag: "RegisterTimer", interval_seconds: 100 }, ok("TimerId", 1)],
    [{ _tag: "ScheduleTask", delay_seconds: 100 }, ok("TaskId", 2)],
    [{ _tag: "CancelTimer", timer_id: 1 }, ok("TimerCancelled")],
    [{ _tag: "CancelTimer", timer_id: 1 }, "there is no timer 1"],
    [{ _tag: "RegisterTimer", interval_seconds: 0 }, "must be from 1 to"],
    ...Array.from(
      { length: MAX_TIMERS - 1 },
      (_, i) => [{ _tag: "ScheduleTask", delay_seconds: 100 }, ok("TaskId", i + 3)] as const
    ),
    [{ _tag: "ScheduleTask", delay_seconds: 100 }, "ResourceExhausted: the module has 64 timers"]
  ],
  "metrics and health": [
    [{ _tag: "ReportMetric", metric: metric("jobs") }, ok("MetricReported")],
    [{ _tag: "GetModuleMetrics", module_id: "watcher" }, ok("ModuleMetrics", [metric("jobs")])],
    [{ _tag: "GetAllMetrics" }, ok("AllMetrics", new Map([["watcher", [metric("jobs")]]]))],
    [{ _tag: "ReportMetric", metric: metric("no name") }, "a metric's name has"],
    ...Array.from(
      { length: MAX_METRICS - 1 },
      (_, i) => [{ _tag: "ReportMetric", metric: metric(`m${i}`) }, ok("MetricReported")] as const
    ),
    [{ _tag: "ReportMetric", metric: metric("more") }, "ResourceExhausted: a module has up to 256 metrics"],
    [{ _tag: "ReportModuleHealth", health: { _tag: "Unresponsive" } }, ok("HealthReported")],
    [{ _tag: "GetModuleHealth", module_id: "watcher" }, ok("ModuleHealth", { _tag: "Unresponsive" })],
    [
      { _tag: "GetAllModuleHealth" },
      ok("AllModuleHealth", [{ module_id: "watcher", health: { _tag: "Unresponsive" } }])
    ]
  ],
  "methods and commands": [
    [{ _tag: "RegisterRpcEndpoint", method: "watch", description: "" }, ok("RpcEndpointRegistered")],
    [{ _tag: "RegisterRpcEndpoint", method: "watch", description: "" }, "is a method of the module watcher"],
    [{ _tag: "RegisterRpcEndpoint", method: "getblockcount", description: "" }, "is a method of the node"],
    [{ _tag: "RegisterRpcEndpoint", method: "A b", description: "" }, "a method's name has"],
    [{ _tag: "UnregisterCoreRpcOverride", method: "watch" }, "has not registered watch"],
    [{ _tag: "UnregisterRpcEndpoint", method: "watch" }, ok("RpcEndpointUnregistered")],
    [{ _tag: "UnregisterRpcEndpoint", method: "watch" }, "has not registered watch"],
    [{ _tag: "RegisterRpcEndpoint", method: "watch", description: "" }, ok("RpcEndpointRegistered")],
    [{ _tag: "UnregisterRpcEndpoint", method: "watch" }, ok("RpcEndpointUnregistered")],
    [{ _tag: "RegisterCoreRpcOverride", method: "analyzepsbt", description: "" }, ok("CoreRpcOverrideRegistered")],
    [{ _tag: "UnregisterCoreRpcOverride", method: "analyzepsbt" }, ok("CoreRpcOverrideUnregistered")],
    [{ _tag: "RegisterCoreRpcOverride", method: "getblockcount", description: "" }, "PermissionDenied: rpc_overrides"],
    [{ _tag: "RegisterCoreRpcOverride", method: "getnothing", description: "" }, "is no method of the node"],
    [
      { _tag: "RegisterCliSpec", spec: { name: "watcher", about: undefined, subcommands: [] } },
      ok("CliSpecRegistered")
    ],
    [{ _tag: "RegisterCliSpec", spec: { name: "zmq", about: undefined, subcommands: [] } }, "stand below its name"]
  ],
  "other modules": [
    [{ _tag: "IsModuleAvailable", module_id: "watcher" }, ok("ModuleAvailable", false)],
    [{ _tag: "RegisterModuleApi", methods: ["ask"], api_version: 3 }, ok("ModuleApiRegistered")],
    [{ _tag: "GetModuleInfo", module_id: "zmq" }, ok("ModuleInfo")],
    [{ _tag: "CallModule", target_module_id: undefined, method: "ask", params: HASH }, "no other module has a method"],
    [{ _tag: "CallModule", target_module_id: "watcher", method: "ask", params: HASH }, "there is no other module"],
    [{ _tag: "UnregisterModuleApi" }, ok("ModuleApiUnregistered")],
    [{ _tag: "RegisterModuleApi", methods: ["a b"], api_version: 3 }, "is no name of a method"]
  ],
  "events": [
    [{ _tag: "SubscribeEvents", event_types: ["PeerUnbanned"] }, ok("SubscribeAck")],
    [
      { _tag: "SubscribeEvents", event_types: ["NewBlock", "StorageRead"] },
      "StorageRead is never sent: the node does not time single reads"
    ],
    [
      {
        _tag: "PublishEvent",
        event_type: "MempoolCleared",
        payload: { _tag: "MempoolCleared", cleared_count: 1 }
      },
      "MempoolCleared is never sent: the node never clears its mempool"
    ],
    [
      {
        _tag: "PublishEvent",
        event_type: "PaymentFailed",
        payload: { _tag: "PaymentFailed", payment_id: "1", reason: "" }
      },
      ok("EventPublished")
    ],
    [
      { _tag: "PublishEvent", event_type: "NewBlock", payload: { _tag: "NewBlock", block_hash: HASH, height: 1 } },
      "PermissionDenied: NewBlock is an event of the node"
    ]
  ],
  "what the node has nothing to answer from": [
    [{ _tag: "GetLightningInfo" }, "not served by this node: it has no Lightning node"],
    [{ _tag: "GetLightningNodeUrl" }, "not served by this node"],
    [{ _tag: "GetPaymentState", payment_id: "" }, "not served by this node"],
    [{ _tag: "SendMeshPacketToPeer", peer_addr: "", packet_data: HASH }, "not served by this node"],
    [{ _tag: "SendStratumV2MessageToPeer", peer_addr: "", message_data: HASH }, "not served by this node"]
  ]
}

describe("the API of modules", () => {
  it.live.each(Object.entries(SCRIPTS))(
    "answers requests about %s, and refuses bad ones",
    ([, script]) =>
      Effect.scoped(Effect.gen(function*() {
        const { network } = networkOf()
        const { asked } = yield* connectedModule(yield* apisOf({ chain, peers: () => network }))
        for (const [request, wanted] of script) {
          const answer = yield* asked(request)
          if (typeof wanted === "string") assert.include(answer, wanted, JSON.stringify(plain(request)))
          else {
            assert.deepStrictEqual(plain(answer), plain(wanted))
            assert.strictEqual((answer as { _tag: string })._tag, ANSWER_OF_REQUEST[request._tag])
          }
        }
      })).pipe(Effect.provide(EventBus.layer))
  )

  const requests = Object.values(SCRIPTS).flatMap((script) => script.map(([request]) => request))
  const byType = [...new Map(requests.map((request) => [request._tag, request])).values()]

  it.live("refuses each request whose permission is missing before anything is looked at", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked } = yield* connectedModule(yield* apisOf(), { without: [...PERMISSIONS_USED] })
      for (const request of byType) {
        const permission = PERMISSION_OF_REQUEST[request._tag as keyof typeof PERMISSION_OF_REQUEST]
        assert.strictEqual(yield* asked(request), `PermissionDenied: ${request._tag} needs ${permission}`)
      }
    })).pipe(Effect.provide(EventBus.layer)))

  const PERMISSIONS_USED = new Set<Permission>(Object.values(PERMISSION_OF_REQUEST))

  it.live("says that there is no network while there is none", () =>
    Effect.scoped(Effect.gen(function*() {
      const { asked } = yield* connectedModule(yield* apisOf())
      assert.strictEqual(yield* asked({ _tag: "GetNetworkPeers" }), "the node makes no connections, or not yet")
    })).pipe(Effect.provide(EventBus.layer)))
})
