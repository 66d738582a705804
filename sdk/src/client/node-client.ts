import {
  type AnswerTo,
  type LogLevel,
  type ModuleMessageOf,
  moduleRequest,
  requestMisfit,
  type RequestPayload,
  type RequestType
} from "@lockstep/protocol/module-ipc/index.ts"
import type { Wire } from "./connection.ts"
import { NodeError, nodeErrorOf } from "./node-error.ts"

/** The fields of a request, without its type. */
export type RequestFields<T extends RequestType> = Omit<Extract<RequestPayload, { readonly _tag: T }>, "_tag">

/** The argument for the fields of a request; optional for a request without fields. */
type FieldsArgument<T extends RequestType> = keyof RequestFields<T> extends never ? [] : [fields: RequestFields<T>]

/** Requests that a module can send to its node. */
export interface NodeClient {
  /**
   * Sends a request to the node and resolves with its answer, whose `_tag` is listed in `docs/modules/layouts.md`.
   * Hashes are in internal byte order. Rejects with a {@link NodeError} if the node refuses, does not answer in time or
   * disconnects. It also rejects, before anything is sent, if the request or one of its fields does not exist or has
   * the wrong type.
   */
  readonly ask: <T extends RequestType>(type: T, ...fields: FieldsArgument<T>) => Promise<AnswerTo<T>>
  /** Writes a line to the node's log. */
  readonly log: (level: LogLevel, message: string) => void
}

/** Identity and connection of a client. */
export interface ClientOptions {
  readonly wire: Wire
  readonly name: string
  readonly moduleId: string
  /** Time limit of an answer, in milliseconds. */
  readonly limitMs: number
}

/** A client, with the receiver of its answers. */
export interface OpenClient {
  readonly client: NodeClient
  /** Completes the request that an answer belongs to. An answer without a waiting request has no effect. */
  readonly settle: (response: ModuleMessageOf<"Response">) => void
}

interface Waiting {
  readonly resolve: (payload: never) => void
  readonly reject: (error: NodeError) => void
  readonly timer: NodeJS.Timeout
}

const MILLISECONDS = 1_000

/** Opens a client over a connection. All waiting requests are rejected when the connection ends. */
export const openClient = ({ limitMs, moduleId, name, wire }: ClientOptions): OpenClient => {
  const waiting = new Map<bigint, Waiting>()
  let nextId = 1n
  let over: string | undefined

  const take = (id: bigint): Waiting | undefined => {
    const found = waiting.get(id)
    waiting.delete(id)
    clearTimeout(found?.timer)
    return found
  }

  const ask: NodeClient["ask"] = (type, ...[fields]) => {
    if (over !== undefined) return Promise.reject(new NodeError("ConnectionError", over))
    const payload = { ...fields, _tag: type } as RequestPayload
    const fault = requestMisfit(payload)
    if (fault !== undefined) return Promise.reject(new NodeError(undefined, fault))
    const id = nextId++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => take(id)?.reject(new NodeError("Timeout", `no answer to ${type} within ${limitMs} ms`)),
        limitMs
      )
      waiting.set(id, { resolve, reject, timer })
      wire.send(moduleRequest(id, payload))
    })
  }

  void wire.closed.then((reason) => {
    over = reason
    for (const id of waiting.keys()) take(id)?.reject(new NodeError("ConnectionError", reason))
  })

  return {
    client: {
      ask,
      log: (level, message) =>
        wire.send({
          _tag: "Log",
          level,
          module_id: moduleId,
          message,
          target: name,
          timestamp: Math.floor(Date.now() / MILLISECONDS)
        })
    },
    settle: ({ correlation_id, error, payload }) => {
      const found = take(correlation_id)
      if (error !== undefined) found?.reject(nodeErrorOf(error))
      else found?.resolve(payload as never)
    }
  }
}
