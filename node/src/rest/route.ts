import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { JsonRead, JsonValue } from "../json/json-value.ts"
import type { Privilege } from "../http/auth/caller.ts"
import type { CallError } from "../queries/call-error.ts"
import type { MethodNode } from "../methods/definition/method-node.ts"
import type { RestProblem, Statuses } from "./rest-problem.ts"

/** Kinds of texts in a path or a query. A body has kinds of its own. */
export type InputKind = "text" | "number" | "boolean" | "list"

/** An input of a request. */
export interface Input {
  readonly name: string
  readonly place: "path" | "query" | "body"
  readonly kind: InputKind
  readonly description: string
  readonly required: boolean
  /** Default for a missing input, as documents show it. */
  readonly standard: string | undefined
  readonly ast: SchemaAST.AST
}

const KINDS = {
  text: Schema.String,
  number: Schema.Int,
  boolean: Schema.Boolean,
  list: Schema.Array(Schema.String)
} as const satisfies Record<InputKind, Schema.Top>

/** Makes an input that no method describes. Inputs in the path are required; others are optional. */
export const makeInput = (
  name: string,
  place: Input["place"],
  kind: InputKind,
  description: string,
  standard?: string
): Input => ({ name, place, kind, description, required: place === "path", standard, ast: KINDS[kind].ast })

/** Inputs of a request by name. */
export type RequestInputs = ReadonlyMap<string, JsonRead>

/** JSON in its envelope, or bytes, either raw or as hexadecimal digits. */
export type Form = "json" | "binary" | "hex"

export interface Page {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

export interface FoundResource {
  /** Hexadecimal digits if bytes are requested. */
  readonly data: JsonValue
  /** Position of this part in a longer list. */
  readonly page?: Page
}

/** Behaviour of one verb on one kind of resource. Documents are generated from it as well. */
export interface Route {
  readonly verb: "GET" | "POST" | "DELETE"
  /** Path after `/api/v1`; names in braces are inputs. */
  readonly path: string
  readonly summary: string
  readonly privilege: Privilege
  /** Method that answers, by its name in a whitelist; `undefined` if several do. */
  readonly method?: string
  readonly inputs: ReadonlyArray<Input>
  readonly result: SchemaAST.AST
  /** True if the resource also exists as bytes. */
  readonly hasBytes: boolean
  /** True if these bytes never change. */
  readonly isImmutable: boolean
  /** True if the answer is a part of a list. */
  readonly isPaged: boolean
  /** Input that receives a binary body as hexadecimal digits. */
  readonly bytesInput: string | undefined
  /** Statuses of errors that differ for this route. */
  readonly statuses: Statuses
  readonly answer: (
    given: RequestInputs,
    node: MethodNode,
    form: Form
  ) => Effect.Effect<FoundResource, CallError | RestProblem>
}

/** Defaults of a route that only reads and needs no credentials. */
export const OPEN_READ = {
  verb: "GET",
  privilege: "anyone",
  hasBytes: false,
  isImmutable: false,
  bytesInput: undefined,
  statuses: {}
} as const satisfies Partial<Route>

/** Returns the first segment of the path, by which routes are grouped. */
export const groupOf = ({ path }: Pick<Route, "path">): string => path.split("/")[1]!
