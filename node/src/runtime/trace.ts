import * as Context from "effect/Context"

/** Something that happened, in detail. Peers are named by their ids. */
export type Happening =
  | { readonly _tag: "Received"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "Sent"; readonly peer: number; readonly command: string; readonly bytes: number }
  | { readonly _tag: "ConnectionAdded"; readonly peer: number; readonly address: string }
  | { readonly _tag: "ConnectionGone"; readonly peer: number; readonly address: string; readonly reason: string }
  | { readonly _tag: "Misbehaving"; readonly peer: number; readonly address: string; readonly reason: string }
  | { readonly _tag: "RpcCall"; readonly method: string; readonly user: string; readonly id: string }

/**
 * Hears what happens, at once and in order: for a log in the words of another program. Where nobody provides it, nobody
 * is told.
 */
export class Trace extends Context.Service<Trace, {
  readonly tell: (happening: Happening) => void
}>()("@node/runtime/Trace") {}
