import type { Command } from "./codecs.ts"
import { type Consequence, EXCESS } from "./excess.ts"
import { endsConnection, type FrameFault, type PayloadFault } from "./fault.ts"

/** Returns the consequence of a fault in a frame. */
export const frameConsequence = (fault: FrameFault): Consequence => (endsConnection(fault) ? "disconnect" : "ignore")

/**
 * Returns the consequence of a fault in the payload of a command. A payload that merely does not decode is ignored,
 * since it may be of a newer software.
 */
export const payloadConsequence = (command: Command, { _tag }: PayloadFault): Consequence => {
  if (command === "feature") return "disconnect"
  if (_tag === "TooMany") return EXCESS[command].tooMany
  return _tag === "NotAFlag" ? "discourage" : "ignore"
}
