import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { callMethod } from "../methods/definition/call-method.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../json/json-value.ts"
import type { Method } from "../methods/definition/method.ts"
import type { CallError } from "../queries/call-error.ts"
import type { MethodNode } from "../methods/definition/method-node.ts"
import { RestProblem } from "./rest-problem.ts"
import type { RequestInputs, Input, InputKind, Route } from "./route.ts"

/** Location of an input, and the method's parameter if its name differs. */
interface Place {
  readonly place: Input["place"]
  readonly parameter?: string
  readonly kind?: InputKind
  readonly required?: boolean
  /** Parts of the description that differ from those of the parameter. */
  readonly shown?: Partial<Pick<Input, "ast" | "description" | "standard">>
  /** Converts to the value of the parameter; `undefined` means that it is not given. */
  readonly to?: (value: JsonRead, isJson: boolean) => JsonRead | undefined
}

type Params = Readonly<Record<string, JsonRead>>

interface MethodRoute {
  readonly verb: Route["verb"]
  readonly path: string
  readonly summary: string
  readonly method: Method
  readonly inputs?: Readonly<Record<string, Place>>
  /** Parameters that the path alone determines. */
  readonly fixed?: Params
  /** The same for bytes; `undefined` if the resource has no bytes. */
  readonly fixedForBytes?: Params
  readonly isImmutable?: boolean
  readonly bytesInput?: string
  /** Schema of the result, if it differs from the method's. */
  readonly result?: SchemaAST.AST
  /** Converts the method's result to data, or to a problem. */
  readonly shape?: (result: JsonValue, given: RequestInputs) => JsonValue | RestProblem
  readonly statuses?: Route["statuses"]
  /** Precondition checked before the method is called. */
  readonly before?: (given: RequestInputs, node: MethodNode) => Effect.Effect<void, CallError | RestProblem>
}

const KINDS: Readonly<Record<string, InputKind>> = { number: "number", bool: "boolean", array: "list" }

const inputOf = (method: Method, [name, place]: readonly [string, Place]): Input => {
  const parameter = method.parameters[place.parameter ?? name]!
  return {
    name,
    place: place.place,
    kind: place.kind ?? KINDS[parameter.kind ?? ""] ?? "text",
    description: parameter.description,
    required: place.place === "path" || (place.required ?? parameter.required),
    standard: parameter.standard,
    ast: parameter.schema.ast,
    ...place.shown
  }
}

/** Returns the route of a resource that one RPC method answers. */
export const methodRoute = (definition: MethodRoute): Route => {
  const { before, fixed = {}, fixedForBytes, method, shape } = definition
  const places = Object.entries(definition.inputs ?? {})
  const paramsOf = (given: RequestInputs, isJson: boolean): JsonMembers => {
    const params = new Map(Object.entries(isJson ? fixed : fixedForBytes ?? fixed))
    for (const [name, { parameter = name, to }] of places) {
      const input = given.get(name)
      const value = input === undefined || to === undefined ? input : to(input, isJson)
      if (value !== undefined) params.set(parameter, value)
    }
    return new JsonMembers([...params.keys()], [...params.values()])
  }
  return {
    verb: definition.verb,
    path: definition.path,
    summary: definition.summary,
    privilege: method.privilege,
    method: method.name,
    inputs: places.map((each) => inputOf(method, each)),
    result: definition.result ?? method.result.ast,
    hasBytes: fixedForBytes !== undefined,
    isImmutable: definition.isImmutable ?? false,
    isPaged: false,
    bytesInput: definition.bytesInput,
    statuses: definition.statuses ?? {},
    answer: Effect.fnUntraced(function*(given, node, form) {
      if (before !== undefined) yield* before(given, node)
      const result = yield* callMethod(method, paramsOf(given, form === "json"), node)
      const data = shape === undefined || form !== "json" ? result : shape(result, given)
      return data instanceof RestProblem ? yield* Effect.fail(data) : { data }
    })
  }
}

/** Returns the members of a result that `names` lists, under their new names. */
export const picked = (result: JsonValue, names: Readonly<Record<string, string>>): JsonValue => {
  const members = result as { readonly [name: string]: JsonValue | undefined }
  return Object.fromEntries(Object.entries(names).map(([name, member]) => [name, members[member]]))
}

/** Makes a result the only member of an object. */
export const named = (name: string, schema: Schema.Top) => ({
  result: Schema.Struct({ [name]: schema }).ast,
  shape: (value: JsonValue): JsonValue => ({ [name]: value })
})
