import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RequestListener } from "node:http"
import type { HttpRequests } from "./take-request.ts"

/** How the RPC server takes requests: other servers of this node accept the same callers. */
export class SharedRequests extends Context.Service<SharedRequests, {
  readonly requests: HttpRequests
  /** Answers all paths that start like this one by another listener, as long as the scope is open. */
  readonly mount: (prefix: string, listener: RequestListener) => Effect.Effect<void, never, Scope.Scope>
}>()("@node/http/SharedRequests") {}
