import {
  encodeModuleFrame,
  moduleRequest,
  PERMISSION_OF_REQUEST,
  REQUEST_TYPES,
  type RequestPayload
} from "@lockstep/protocol/module-ipc/index.ts"
import type { FieldShapes, Shape } from "@lockstep/protocol/module-ipc/layout/layout.ts"
import { requestPayload } from "@lockstep/protocol/module-ipc/requests.ts"
import { connectedProgram, type HostileModule } from "./hostile-module.ts"

const plainFields = (fields: FieldShapes): object =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, plainValue(shape)]))

const SCALARS = {
  bool: false,
  u8: 0,
  u32: 0,
  i32: 0,
  u64: 0n,
  count: 0,
  f64: 0,
  text: "",
  bytes: new Uint8Array(),
  hash: new Uint8Array(32)
} as const

/** The plainest value of a layout. */
const plainValue = (shape: Shape): unknown => {
  switch (shape.kind) {
    case "option":
      return undefined
    case "list":
      return []
    case "map":
      return new Map()
    case "names":
      return shape.names[0]
    case "struct":
      return plainFields(shape.fields)
    case "variant": {
      const [name, fields] = Object.entries(shape.variants)[0]!
      return { _tag: name, ...plainFields(fields) }
    }
    default:
      return SCALARS[shape.kind]
  }
}

/** A request of each type that needs a permission, one frame behind another. */
const everyRequest = (): Uint8Array => {
  const { shape } = requestPayload
  if (shape.kind !== "variant") throw new Error("requests are variants")
  return Buffer.concat(
    Object.entries(shape.variants).filter(([name]) => name !== "Handshake").map(([name, fields], i) =>
      encodeModuleFrame(moduleRequest(BigInt(i + 100), { _tag: name, ...plainFields(fields) } as RequestPayload))
    )
  )
}

/** How many requests need a permission. */
const REQUESTS = REQUEST_TYPES.length - 1

const DENIALS = new Set(Object.values(PERMISSION_OF_REQUEST)).size

const flood = (what: string): string =>
  connectedProgram(`
handshake()
let sent = 0
const frames = () => { for (let i = 0; i < 200; i++) { ${what}; sent++ } }
const go = () => { frames(); if (socket.writableNeedDrain) socket.once("drain", go); else setImmediate(go) }
go()
setTimeout(() => report({ many: sent > 200 }), 400)
`)

const frame = (bytes: string, reason: RegExp, does: string): HostileModule => ({
  name: does.replaceAll(/[^a-z0-9]+/g, "-"),
  does: `sends ${does}`,
  program: () => connectedProgram(`handshake(); ${bytes}`),
  outcome: { _tag: "Ended", reason }
})

/** Modules that break the protocol. */
export const WIRE_ATTACKS: ReadonlyArray<HostileModule> = [
  {
    name: "spoofs-id",
    does: "shakes hands with the id of another spawn",
    program: () =>
      connectedProgram(
        `request(0, text("bystander-00000000000000000000000000000000"), text(MODULE_NAME), text("0.1.0"))`
      ),
    outcome: { _tag: "Ended", reason: /the handshake has not the id of this spawn/ }
  },
  {
    name: "spoofs-name",
    does: "shakes hands with the name of another module",
    program: () => connectedProgram(`request(0, text(MODULE_ID), text("bystander"), text("0.1.0"))`),
    outcome: { _tag: "Ended", reason: /the handshake names the module bystander/ }
  },
  {
    name: "spoofs-version",
    does: "shakes hands with another version",
    program: () => connectedProgram(`handshake("9.9.9")`),
    outcome: { _tag: "Ended", reason: /the handshake names the version 9\.9\.9/ }
  },
  {
    name: "shakes-twice",
    does: "shakes hands twice",
    program: () => connectedProgram(`handshake(); handshake()`),
    outcome: { _tag: "Ended", reason: /a second handshake/ }
  },
  {
    name: "asks-first",
    does: "asks before it shakes hands",
    program: () => connectedProgram(`request(R.GetBlockHeight)`),
    outcome: { _tag: "Ended", reason: /GetBlockHeight came before the handshake/ }
  },
  {
    name: "asks-all",
    does: "asks for everything without a permission",
    files: { requests: everyRequest() },
    program: () =>
      connectedProgram(`
let denied = 0
const kinds = new Set()
const others = []
eachMessage((message) => {
  if (message.readUInt32LE(0) !== 1 || message.readBigUInt64LE(4) < 100n) return
  const refusal = refusalIn(message)
  const needed = /^PermissionDenied: \\w+ needs (\\w+)$/.exec(refusal)
  if (needed === null) others.push(refusal)
  else { denied++; kinds.add(needed[1]) }
  if (denied + others.length === ${REQUESTS}) report({ denied, kinds: kinds.size, others })
})
handshake()
socket.write(fs.readFileSync("/module/requests"))
`),
    outcome: { _tag: "Contained", report: { denied: REQUESTS, kinds: DENIALS, others: [] } }
  },
  {
    name: "claims-methods",
    does: "claims methods of the node and overrides that its manifest does not name",
    capabilities: ["register_rpc_endpoint"],
    program: () =>
      connectedProgram(`
const answers = []
eachMessage((message) => {
  if (message.readUInt32LE(0) !== 1 || message.readBigUInt64LE(4) === 1n) return
  answers.push(refusalIn(message))
  if (answers.length === 3) report({ answers })
})
handshake()
request(R.RegisterRpcEndpoint, text("stop"), text(""))
request(R.RegisterCoreRpcOverride, text("sendrawtransaction"), text(""))
request(R.RegisterRpcEndpoint, text("bystander_seen"), text(""))
`),
    outcome: {
      _tag: "Contained",
      report: {
        answers: [
          "stop is a method of the node",
          "PermissionDenied: rpc_overrides of the manifest does not name sendrawtransaction",
          "bystander_seen is a method of the module bystander"
        ]
      }
    }
  },
  frame(`socket.write(u32(8388609))`, /at most 8388608 are allowed/, "an oversized frame"),
  frame(`socket.write(u32(0xffffffff))`, /at most 8388608 are allowed/, "a frame of 4 gigabytes"),
  frame(`send(u32(9))`, /is no message/, "a message of no kind"),
  frame(`send(u32(0), u64(9), u32(R.GetChainTip), u32(R.GetBlockHeight))`, /is declared/, "a request with two tags"),
  frame(
    `send(u32(0), u64(9), u32(R.GetChainTip), u32(R.GetChainTip), u32(0))`,
    /bytes follow the message/,
    "a frame with a tail"
  ),
  frame(`send(u32(0), u64(9), u32(R.GetBlock), u32(R.GetBlock), u32(0))`, /ends/, "a message that is cut off"),
  frame(`send(u32(0), u64(9), u32(R.ReadFile), u32(R.ReadFile), u64(2n ** 63n))`, /./, "a text of 8 exabytes"),
  frame(`send(u32(2), u32(0), u32(0))`, /is for a module|no message|ends/, "an event of the node"),
  frame(`socket.write(require("node:crypto").randomBytes(100000))`, /./, "random bytes"),
  {
    name: "drips",
    does: "announces 8 MiB and sends a byte at a time",
    program: () =>
      connectedProgram(`
handshake()
socket.write(u32(8388608))
setInterval(() => socket.write(Buffer.alloc(1)), 2)
setTimeout(report, 300)
`),
    outcome: { _tag: "Contained", report: {}, holdMs: 300 }
  },
  {
    name: "floods-requests",
    does: "asks without end, and reads the answers",
    capabilities: ["read_chain_state"],
    program: () => flood("request(R.GetChainTip)"),
    outcome: { _tag: "Contained", report: { many: true }, holdMs: 1_000 }
  },
  {
    name: "floods-calls",
    does: "asks for what costs the node work, without end",
    capabilities: ["read_blockchain", "read_mempool", "discover_modules"],
    program: () =>
      flood("request(R.GetBlockByHeight, u64(1)); request(R.GetMempoolTransactions); request(R.DiscoverModules)"),
    outcome: { _tag: "Contained", report: { many: true }, holdMs: 1_000 }
  },
  {
    name: "floods-refusals",
    does: "asks without permission, without end",
    program: () => flood("request(R.GetBlock, Buffer.alloc(32))"),
    outcome: { _tag: "Contained", report: { many: true }, holdMs: 1_000 }
  },
  {
    name: "floods-log",
    does: "logs without end",
    program: () => flood("log('x'.repeat(1000))"),
    outcome: { _tag: "Contained", report: { many: true }, holdMs: 1_000 }
  },
  {
    name: "floods-events",
    does: "publishes events without end",
    capabilities: ["publish_events"],
    program: () => flood("request(R.PublishEvent, u32(E.PeerUnbanned), u32(E.PeerUnbanned), text('x'.repeat(100)))"),
    outcome: { _tag: "Contained", report: { many: true }, holdMs: 1_000 }
  },
  {
    name: "never-reads",
    does: "asks without end, and reads nothing",
    capabilities: ["read_chain_state"],
    program: () => `${flood("request(R.GetChainInfo)")}\nsocket.pause(); socket.removeAllListeners("data")`,
    outcome: { _tag: "Ended", reason: /the module does not read what it is sent/ },
    isSlow: true
  }
]
