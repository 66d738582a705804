import type { TraceEvent } from "../../runtime/trace.ts"
import type { CoreLine } from "./core-line.ts"

/** The lines for each kind of happening. */
export type LinesBy = {
  readonly [T in TraceEvent["_tag"]]: (
    happening: Extract<TraceEvent, { readonly _tag: T }>,
    showsIps: boolean
  ) => ReadonlyArray<CoreLine>
}
