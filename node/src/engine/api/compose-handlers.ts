import type { EngineCallName } from "./engine-calls.ts"
import type { Handlers } from "./handler.ts"

/** Some handlers. */
type Group = { readonly [N in EngineCallName]?: Handlers[N] }

/** The calls that a group answers, or one of several groups. */
export type CallsOf<G> = G extends unknown ? Extract<keyof G, EngineCallName> : never

/** The calls that two of these groups answer, or one besides `Seen`. */
export type AnsweredTwice<Groups extends ReadonlyArray<unknown>, Seen = never> = Groups extends
  readonly [infer First, ...infer Rest] ? (CallsOf<First> & Seen) | AnsweredTwice<Rest, Seen | CallsOf<First>>
  : never

/** Whatever fits, if there are no such calls; else a type that says which there are, and that nothing fits. */
export type NoneTwice<N> = [N] extends [never] ? unknown : { readonly answeredTwice: N }

/** One table of all these handlers. That a call has two of them is an error of types. */
export const composeHandlers = <const G extends ReadonlyArray<Group>>(
  groups: G & NoneTwice<AnsweredTwice<G>>
): Handlers<CallsOf<G[number]>> => Object.assign({}, ...groups as G) as Handlers<CallsOf<G[number]>>
