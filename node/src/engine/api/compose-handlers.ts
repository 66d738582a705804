import type { EngineCallName } from "./engine-calls.ts"
import type { Handlers } from "./handler.ts"

/** A group of handlers. */
type Group = { readonly [N in EngineCallName]?: Handlers[N] }

/** The calls that a group handles, or one of several groups. */
export type CallsOf<G> = G extends unknown ? Extract<keyof G, EngineCallName> : never

/** The calls that two of these groups handle, or one of them and `Seen`. */
export type AnsweredTwice<Groups extends ReadonlyArray<unknown>, Seen = never> = Groups extends
  readonly [infer First, ...infer Rest] ? (CallsOf<First> & Seen) | AnsweredTwice<Rest, Seen | CallsOf<First>>
  : never

/** `unknown` if `N` is empty; else a type that names the duplicate calls and that no value satisfies. */
export type NoneTwice<N> = [N] extends [never] ? unknown : { readonly answeredTwice: N }

/** Merges handlers into one table. Two handlers for one call are a type error. */
export const composeHandlers = <const G extends ReadonlyArray<Group>>(
  groups: G & NoneTwice<AnsweredTwice<G>>
): Handlers<CallsOf<G[number]>> => Object.assign({}, ...groups as G) as Handlers<CallsOf<G[number]>>
