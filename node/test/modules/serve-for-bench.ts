import type { IpcError, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import { createServer } from "node:net"
import type { ModuleApi } from "../../src/modules/api/api-call.ts"
import { CHAIN_REQUESTS } from "../../src/modules/api/chain-requests.ts"
import { moduleConnection } from "../../src/modules/ipc/connection.ts"
import type { HandledRequest } from "../../src/modules/ipc/request-answers.ts"
import { openModuleSession } from "../../src/modules/ipc/session.ts"

/** The handshake of the module that a bench starts. */
export const BENCH_MODULE = { module_id: "bench-id", module_name: "bench", version: "1.0.0" } as const

const HEIGHT: ResponsePayload = { _tag: "U64", value: 900_000 }

/** A node whose chain has a state, and nothing else. */
const API = { chain: { state: () => ({ height: 900_000 }) } } as unknown as ModuleApi

/**
 * Serves each module that connects to the socket, until the answer is called: heights at once, tips a turn later, and
 * `block` as every block.
 */
export const serveModules = (path: string, block: Uint8Array): Promise<() => void> => {
  const handle = ({ _tag }: HandledRequest): Effect.Effect<ResponsePayload, IpcError> => {
    switch (_tag) {
      case "GetBlock":
        return Effect.succeed({ _tag: "Block", value: block })
      case "GetChainTip":
        return Effect.as(Effect.sleep(0), HEIGHT)
      default:
        return CHAIN_REQUESTS.GetBlockHeight(API)
    }
  }
  const server = createServer((socket) => {
    const session = openModuleSession(moduleConnection(socket), {
      name: BENCH_MODULE.module_name,
      version: BENCH_MODULE.version,
      moduleId: BENCH_MODULE.module_id,
      nodeVersion: "bench",
      permissions: new Set(["read_blockchain", "read_chain_state"]),
      handle,
      log: () => Effect.void
    })
    Effect.runFork(Effect.ignore(Effect.scoped(Effect.flatMap(session, ({ serve }) => serve))))
  })
  return new Promise((resolve) => server.listen(path, () => resolve(() => void server.close())))
}
