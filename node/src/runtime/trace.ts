import type { FrameFault } from "@lockstep/protocol/wire/fault.ts"
import * as Context from "effect/Context"

/** A pong that answers no ping, or not as it should. */
export interface OddPong {
  readonly why: "mismatch" | "short" | "unsolicited" | "zero"
  /** 0: none. */
  readonly expected: bigint
  readonly received: bigint
  readonly bytes: number
}

/** Something that happened, in detail. Peers are named by their ids. */
export type Happening =
  | { readonly _tag: "Received"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "Sent"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "ConnectionAdded"; readonly peer: number; readonly address: string }
  | { readonly _tag: "ConnectionGone"; readonly peer: number; readonly address: string; readonly reason: string }
  | { readonly _tag: "Misbehaving"; readonly peer: number; readonly address: string; readonly reason: string }
  | { readonly _tag: "OddPong"; readonly peer: number; readonly pong: OddPong }
  | { readonly _tag: "PingTimeout"; readonly peer: number; readonly seconds: number }
  | { readonly _tag: "BadFrame"; readonly peer: number; readonly fault: FrameFault }
  | {
    readonly _tag: "BadPayload"
    readonly peer: number
    readonly command: string
    readonly bytes: number
    readonly why: string
  }
  /** A message that is left out, since it came too early or again. */
  | {
    readonly _tag: "LeftOut"
    readonly peer: number
    readonly command: string
    readonly why: "again" | "before verack" | "before version"
  }
  | { readonly _tag: "RpcCall"; readonly method: string; readonly user: string; readonly id: string }

/**
 * Hears what happens, at once and in order: for a log in the words of another program. Where nobody provides it, nobody
 * is told.
 */
export class Trace extends Context.Service<Trace, {
  readonly tell: (happening: Happening) => void
}>()("@node/runtime/Trace") {}
