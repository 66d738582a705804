import type * as Schema from "effect/Schema"
import type { Privilege } from "../../http/auth/caller.ts"
import type { Parameter } from "./parameter.ts"

export type Category =
  | "blockchain"
  | "control"
  | "generating"
  | "lockstep"
  | "mining"
  | "modules"
  | "network"
  | "rawtransactions"
  | "signer"
  | "util"
  | "zmq"

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** A call to show, by its parameters. */
export interface Example {
  readonly shows?: string
  readonly params: ReadonlyArray<string | number | boolean | object>
}

/** What a method is, apart from what it does: help, documents and checks are made of this. */
export interface MethodFacts {
  readonly name: string
  readonly category: Category
  /** Whether the list of all methods leaves it out, as that of Bitcoin Core does: it is for tests. */
  readonly isHidden?: boolean
  readonly privilege: Privilege
  readonly description: string
  /** In the order of their positions. */
  readonly parameters: Parameters
  /** What is answered; a union where that depends on the parameters, each member annotated with when. */
  readonly result: Schema.Top
  readonly examples: ReadonlyArray<Example>
}
