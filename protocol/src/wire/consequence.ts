import type { Command } from "./codecs.ts"
import { endsConnection, type FrameFault, type PayloadFault } from "./fault.ts"

/**
 * What a fault means for the peer, as in Bitcoin Core. The message alone is dropped, or the peer is disconnected. Or
 * the peer is disconnected and its address discouraged, since no honest software sends such a message.
 */
export type Consequence = "ignore" | "disconnect" | "discourage"

/** What follows from a fault in a frame. */
export const frameConsequence = (fault: FrameFault): Consequence => (endsConnection(fault) ? "disconnect" : "ignore")

/** What follows from more elements than a command may have; other commands' excess is ignored. */
const TOO_MANY: Readonly<Partial<Record<Command, Consequence>>> = {
  inv: "discourage",
  getdata: "discourage",
  addr: "discourage",
  addrv2: "discourage",
  headers: "discourage",
  getheaders: "disconnect",
  getblocks: "disconnect",
  getpkgtxns: "disconnect",
  pkgtxns: "disconnect"
}

/**
 * What follows from a fault in the payload of a command. A payload that merely does not decode is ignored: it may come
 * from software of the future.
 */
export const payloadConsequence = (command: Command, { _tag }: PayloadFault): Consequence => {
  if (command === "feature") return "disconnect"
  if (_tag === "TooMany") return TOO_MANY[command] ?? "ignore"
  return _tag === "NotAFlag" ? "discourage" : "ignore"
}
