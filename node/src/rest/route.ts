import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import type { JsonRead, JsonValue } from "../json/json-value.ts"
import type { Privilege } from "../http/auth/caller.ts"
import type { CallError } from "../queries/call-error.ts"
import type { MethodNode } from "../methods/definition/method-node.ts"
import type { RestProblem, Statuses } from "./rest-problem.ts"

/** How a text in a path or a query is read. A body has kinds of its own. */
export type InputKind = "text" | "number" | "boolean" | "list"

/** Something that a request may or must say. */
export interface Input {
  readonly name: string
  readonly place: "path" | "query" | "body"
  readonly kind: InputKind
  readonly description: string
  readonly required: boolean
  /** What stands for a missing one, as documents show it. */
  readonly standard: string | undefined
  readonly ast: SchemaAST.AST
}

const KINDS = {
  text: Schema.String,
  number: Schema.Int,
  boolean: Schema.Boolean,
  list: Schema.Array(Schema.String)
} as const satisfies Record<InputKind, Schema.Top>

/** Makes an input that no method describes. One in the path is required, others are optional. */
export const makeInput = (
  name: string,
  place: Input["place"],
  kind: InputKind,
  description: string,
  standard?: string
): Input => ({ name, place, kind, description, required: place === "path", standard, ast: KINDS[kind].ast })

/** What a request says, by the names of the inputs. */
export type RequestInputs = ReadonlyMap<string, JsonRead>

/** JSON in its envelope, or bytes: as they are or in hexadecimal digits. */
export type Form = "json" | "binary" | "hex"

export interface Page {
  readonly offset: number
  readonly limit: number
  readonly total: number
}

export interface FoundResource {
  /** Hexadecimal digits when bytes are wanted. */
  readonly data: JsonValue
  /** The part of a longer list that this is. */
  readonly page?: Page
}

/** What is done for one verb on one kind of resource. Documents are made of this as well. */
export interface Route {
  readonly verb: "GET" | "POST" | "DELETE"
  /** Behind `/api/v1`; names in braces are inputs. */
  readonly path: string
  readonly summary: string
  readonly privilege: Privilege
  /** The method that answers, as a whitelist names it; none: several do. */
  readonly method?: string
  readonly inputs: ReadonlyArray<Input>
  readonly result: SchemaAST.AST
  /** Whether it comes in bytes as well. */
  readonly hasBytes: boolean
  /** Whether these bytes are the same for ever. */
  readonly isImmutable: boolean
  /** Whether the answer is a part of a list. */
  readonly isPaged: boolean
  /** The input that a body of bytes is, in hexadecimal digits. */
  readonly bytesInput: string | undefined
  /** Statuses of errors that differ here. */
  readonly statuses: Statuses
  readonly answer: (
    given: RequestInputs,
    node: MethodNode,
    form: Form
  ) => Effect.Effect<FoundResource, CallError | RestProblem>
}

/** What a route has that reads, needs no credentials, and says nothing else. */
export const OPEN_READ = {
  verb: "GET",
  privilege: "anyone",
  hasBytes: false,
  isImmutable: false,
  bytesInput: undefined,
  statuses: {}
} as const satisfies Partial<Route>

/** The first segment of the path, by which routes are grouped. */
export const groupOf = ({ path }: Pick<Route, "path">): string => path.split("/")[1]!
