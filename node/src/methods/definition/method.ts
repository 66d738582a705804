import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { JsonValue } from "../../json/json-value.ts"
import type { CallError } from "../../queries/call-error.ts"
import type { MethodNode } from "./method-node.ts"
import type { MethodFacts, Parameters } from "./method-facts.ts"
import type { Parameter } from "./parameter.ts"

/** Values of parameters by name. */
export type Arguments<P extends Parameters> = { readonly [K in keyof P]: P[K] extends Parameter<infer A> ? A : never }

/** One RPC method. */
export interface Method extends MethodFacts {
  readonly call: (args: never, node: MethodNode) => Effect.Effect<JsonValue, CallError>
}

interface Definition<P extends Parameters, R extends Schema.Top> extends MethodFacts {
  readonly parameters: P
  readonly result: R
  readonly call: (args: Arguments<P>, node: MethodNode) => Effect.Effect<R["Type"], CallError>
}

/** Defines a method. The compiler checks its answer against the schema of its result. */
export const method = <const P extends Parameters, R extends Schema.Codec<JsonValue, unknown>>(
  definition: Definition<P, R>
): Method => definition as unknown as Method
