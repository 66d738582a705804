import { privateText } from "../../runtime/private-happening.ts"
import type { TraceEvent } from "../../runtime/trace.ts"
import { safeText } from "../process/run-command.ts"
import { type CoreLine, inDetail } from "./core-line.ts"
import type { LinesBy } from "./lines-by.ts"
import { OF_CONNECTIONS } from "./lines-of-connections.ts"
import { OF_RELAY } from "./lines-of-relay.ts"
import { OF_SEEDING } from "./lines-of-seeding.ts"
import { OF_START } from "./lines-of-start.ts"
import { OF_SYNC } from "./lines-of-sync.ts"

const LINES: LinesBy = {
  ...OF_CONNECTIONS,
  ...OF_RELAY,
  ...OF_SYNC,
  ...OF_SEEDING,
  ...OF_START,
  PrivateBroadcast: ({ what }) => [inDetail("privatebroadcast", privateText(what))],
  RpcCall: ({ id, method, user }) => [
    inDetail("rpc", `ThreadRPCServer method=${safeText(method)} user=${user} id=${safeText(id)}`)
  ]
}

/** Returns the lines of `debug.log` for a trace event. */
export const linesOfTraceEvent = (happening: TraceEvent, showsIps: boolean): ReadonlyArray<CoreLine> =>
  // The table has the lines of each kind under its tag, which the type system cannot express for a tag known only at
  // run time.
  (LINES[happening._tag] as (happening: TraceEvent, showsIps: boolean) => ReadonlyArray<CoreLine>)(happening, showsIps)
