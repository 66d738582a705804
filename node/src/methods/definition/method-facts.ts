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

/** An example call for the documents, by its parameters. */
export interface Example {
  readonly shows?: string
  readonly params: ReadonlyArray<string | number | boolean | object>
}

/** Definition of a method without its implementation. Help, documents and checks are generated from it. */
export interface MethodFacts {
  readonly name: string
  readonly category: Category
  /** True if the list of all methods omits it, as Bitcoin Core's list does: it is for tests. */
  readonly isHidden?: boolean
  readonly privilege: Privilege
  readonly description: string
  /** Parameters in positional order. */
  readonly parameters: Parameters
  /**
   * Schema of the result. If it depends on the parameters, this is a union whose members are annotated with the
   * condition.
   */
  readonly result: Schema.Top
  readonly examples: ReadonlyArray<Example>
}
