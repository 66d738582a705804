import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RequestListener } from "node:http"
import type { HttpRequests } from "./take-request.ts"

/** Request handling of the RPC server, for other servers of the node that accept the same callers. */
export class SharedRequests extends Context.Service<SharedRequests, {
  readonly requests: HttpRequests
  /** Routes all paths with this prefix to another listener while the scope is open. */
  readonly mount: (prefix: string, listener: RequestListener) => Effect.Effect<void, never, Scope.Scope>
}>()("@node/http/SharedRequests") {}
