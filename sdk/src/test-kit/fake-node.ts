import {
  ipcErrorText,
  MAX_MODULE_MESSAGE_BYTES,
  type ModuleEventPayload,
  moduleEvent,
  type ModuleMessageOf,
  moduleRefusal,
  moduleResponse,
  type RequestPayload,
  type ResponsePayload
} from "@lockstep/protocol/module-ipc/index.ts"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Wire, wireOver } from "../client/connection.ts"
import { NodeError } from "../client/node-error.ts"
import type { ModuleEnvironment } from "../run/environment.ts"
import { type FakeDatabase, fakeDatabase } from "./fake-database.ts"

type Request = Exclude<RequestPayload, { readonly _tag: "Handshake" }>

/** Options of a fake node for the module under test. */
export interface FakeNodeOptions {
  readonly name?: string
  readonly settings?: Readonly<Record<string, string>>
  /** Handles a request. A thrown {@link NodeError} refuses it; `undefined` refuses it as unanswered. */
  readonly answer?: (request: Request) => ResponsePayload | undefined | Promise<ResponsePayload | undefined>
}

/** A node on a real Unix socket without a chain. The test defines its answers. */
export interface FakeNode {
  readonly environment: ModuleEnvironment
  /** The same as `environment`, as environment variables for a module in its own process. */
  readonly variables: Readonly<Record<string, string>>
  /** All requests since the start, including the handshake. */
  readonly requests: ReadonlyArray<RequestPayload>
  readonly log: ReadonlyArray<ModuleMessageOf<"Log">>
  /** Returns the entries of the module's database in the order of their keys. The database outlasts the connection. */
  readonly database: () => ReadonlyArray<{ readonly key: Uint8Array; readonly value: Uint8Array }>
  readonly emit: (event: ModuleEventPayload) => void
  readonly invoke: (invocation: ModuleMessageOf<"Invocation">["invocation_type"]) => Promise<
    ModuleMessageOf<"InvocationResult">
  >
  /** Resolves when a request of this type has been received. */
  readonly received: (type: RequestPayload["_tag"]) => Promise<RequestPayload>
  /** Ends the connection as a system fault would. The socket remains. */
  readonly cut: () => void
  /** Ends the connection and removes the socket and the data directory. */
  readonly close: () => Promise<void>
}

/** Responses to requests that need no data. */
const ACKNOWLEDGED: Readonly<Partial<Record<RequestPayload["_tag"], ResponsePayload>>> = {
  SubscribeEvents: { _tag: "SubscribeAck" },
  FollowChain: { _tag: "SubscribeAck" },
  FollowMempool: { _tag: "SubscribeAck" },
  FollowNotifications: { _tag: "SubscribeAck" },
  RegisterRpcEndpoint: { _tag: "RpcEndpointRegistered" },
  RegisterCoreRpcOverride: { _tag: "CoreRpcOverrideRegistered" },
  RegisterModuleApi: { _tag: "ModuleApiRegistered" },
  UnregisterRpcEndpoint: { _tag: "RpcEndpointUnregistered" },
  UnregisterCoreRpcOverride: { _tag: "CoreRpcOverrideUnregistered" },
  UnregisterModuleApi: { _tag: "ModuleApiUnregistered" },
  RegisterCliSpec: { _tag: "CliSpecRegistered" },
  ReportMetric: { _tag: "MetricReported" },
  ReportModuleHealth: { _tag: "HealthReported" },
  PublishEvent: { _tag: "EventPublished" }
}

const responseTo = async (
  { correlation_id, payload }: ModuleMessageOf<"Request">,
  answer: FakeNodeOptions["answer"],
  database: FakeDatabase
): Promise<ModuleMessageOf<"Response">> => {
  if (payload._tag === "Handshake") {
    return moduleResponse(correlation_id, { _tag: "HandshakeAck", node_version: "fake" })
  }
  try {
    const found = (await answer?.(payload)) ?? database.answer(payload) ?? ACKNOWLEDGED[payload._tag]
    if (found !== undefined) return moduleResponse(correlation_id, found)
    return moduleRefusal(correlation_id, `the fake node has no answer to ${payload._tag}`)
  } catch (error) {
    const kind = error instanceof NodeError ? error.kind : undefined
    return moduleRefusal(correlation_id, ipcErrorText({ kind, text: (error as Error).message }))
  }
}

/** Starts a node that serves one module at a time until it is closed. */
export const fakeNode = async ({ answer, name = "tested", settings = {} }: FakeNodeOptions = {}): Promise<FakeNode> => {
  const directory = mkdtempSync(join(tmpdir(), "lockstep-sdk-"))
  const path = join(directory, "module.sock")
  const requests: Array<RequestPayload> = []
  const log: Array<ModuleMessageOf<"Log">> = []
  const waiting = new Set<() => void>()
  const invoked = new Map<bigint, (result: ModuleMessageOf<"InvocationResult">) => void>()
  const database = fakeDatabase()
  let wire: Wire | undefined
  let connected: Socket | undefined

  const server = createServer((socket) => {
    connected = socket
    const own = wireOver(socket, MAX_MODULE_MESSAGE_BYTES, (message) => {
      if (message._tag === "Log") log.push(message)
      if (message._tag === "InvocationResult") invoked.get(message.correlation_id)?.(message)
      if (message._tag !== "Request") return
      requests.push(message.payload)
      for (const look of waiting) look()
      void responseTo(message, answer, database).then((response) => own.send(response))
    })
    wire = own
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  const moduleId = "one-spawn"
  return {
    environment: {
      name,
      moduleId,
      socketPath: path,
      dataDirectory: directory,
      settings: new Map(Object.entries(settings))
    },
    variables: {
      MODULE_NAME: name,
      MODULE_ID: moduleId,
      SOCKET_PATH: path,
      DATA_DIR: directory,
      ...Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [`MODULE_CONFIG_${key.toUpperCase()}`, value])
      )
    },
    requests,
    log,
    database: database.entries,
    emit: (event) => wire?.send(moduleEvent(event)),
    invoke: (invocation_type) =>
      new Promise((resolve) => {
        const correlation_id = BigInt(invoked.size + 1)
        invoked.set(correlation_id, resolve)
        wire?.send({ _tag: "Invocation", correlation_id, invocation_type })
      }),
    received: (type) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = requests.find(({ _tag }) => _tag === type)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    cut: () => void connected?.destroy(),
    close: async () => {
      connected?.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
      rmSync(directory, { recursive: true, force: true })
    }
  }
}
