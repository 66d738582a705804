import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { JsonValue } from "../json/json-value.ts"
import type { RpcError } from "../rpc-error.ts"
import type { RpcNode } from "../rpc-node.ts"
import type { Parameter } from "./parameter.ts"

/** Who may call a method: whoever is let in at all, or administrators alone. */
export type Privilege = "anyone" | "admin"

export type Category = "blockchain" | "control" | "generating" | "mining" | "network" | "rawtransactions" | "util"

export type Parameters = Readonly<Record<string, Parameter<unknown>>>

/** The values of parameters, under their names. */
export type Arguments<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer A> ? A : never }

/** A call to show, by its parameters. */
export interface Example {
  readonly shows?: string
  readonly params: ReadonlyArray<string | number | boolean | object>
}

/** What a method is, apart from what it does: help, documents and checks are made of this. */
export interface MethodFacts {
  readonly name: string
  readonly category: Category
  readonly privilege: Privilege
  readonly description: string
  /** In the order of their positions. */
  readonly parameters: Parameters
  /** What is answered; a union where that depends on the parameters, each member annotated with when. */
  readonly result: Schema.Top
  readonly examples: ReadonlyArray<Example>
}

/** One method of the RPC. */
export interface Method extends MethodFacts {
  readonly call: (args: never, node: RpcNode) => Effect.Effect<JsonValue, RpcError>
}

interface Definition<P extends Parameters, R extends Schema.Top> extends MethodFacts {
  readonly parameters: P
  readonly result: R
  readonly call: (args: Arguments<P>, node: RpcNode) => Effect.Effect<R["Type"], RpcError>
}

/** Defines a method; the compiler holds what it answers to the schema of its result. */
export const method = <const P extends Parameters, R extends Schema.Codec<JsonValue, unknown>>(
  definition: Definition<P, R>
): Method => definition as unknown as Method
