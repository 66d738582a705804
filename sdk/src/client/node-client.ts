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

/** A request without fields needs none to be written. */
type FieldsArgument<T extends RequestType> = keyof RequestFields<T> extends never ? [] : [fields: RequestFields<T>]

/** What a module can ask of its node. */
export interface NodeClient {
  /**
   * Asks the node, and resolves with its answer, whose `_tag` is the one that `docs/modules/layouts.md` names. Hashes are in
   * internal byte order. Rejects with a {@link NodeError} where the node refuses, does not answer in time, or is gone.
   * It rejects as well, before anything is sent, where the request or one of its fields does not exist or has the wrong kind.
   */
  readonly ask: <T extends RequestType>(type: T, ...fields: FieldsArgument<T>) => Promise<AnswerTo<T>>
  /** Writes a line to the node's log. */
  readonly log: (level: LogLevel, message: string) => void
}

/** How a client is known to the node. */
export interface ClientOptions {
  readonly wire: Wire
  readonly name: string
  readonly moduleId: string
  /** How long an answer may take. */
  readonly limitMs: number
}

/** A client, and where its answers are put. */
export interface OpenClient {
  readonly client: NodeClient
  /** Takes an answer. One that is no longer waited for has no effect. */
  readonly settle: (response: ModuleMessageOf<"Response">) => void
}

interface Waiting {
  readonly resolve: (payload: never) => void
  readonly reject: (error: NodeError) => void
  readonly timer: NodeJS.Timeout
}

const MILLISECONDS = 1_000

/** A client over a connection. Everything that still waits is refused when the connection ends. */
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
