import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { callMethod } from "../methods/definition/call-method.ts"
import { JsonMembers, type JsonRead, type JsonValue } from "../json/json-value.ts"
import type { Method } from "../methods/definition/method.ts"
import type { RpcError } from "../queries/rpc-error.ts"
import type { MethodNode } from "../methods/definition/method-node.ts"
import { RestProblem } from "./rest-problem.ts"
import type { RequestInputs, Input, InputKind, Route } from "./route.ts"

/** Where an input stands, and which parameter of the method it is when that has another name. */
interface Place {
  readonly place: Input["place"]
  readonly parameter?: string
  readonly kind?: InputKind
  readonly required?: boolean
}

type Params = Readonly<Record<string, JsonRead>>

interface MethodRoute {
  readonly verb: Route["verb"]
  readonly path: string
  readonly summary: string
  readonly method: Method
  readonly inputs?: Readonly<Record<string, Place>>
  /** Parameters that the path says by itself. */
  readonly fixed?: Params
  /** The same when bytes are wanted; none: there are none. */
  readonly fixedForBytes?: Params
  readonly isImmutable?: boolean
  readonly bytesInput?: string
  readonly result?: SchemaAST.AST
  /** The case of the method's result, by its `when`. */
  readonly resultCase?: string
  /** Made of the method's result; a problem instead of data is one. */
  readonly shape?: (result: JsonValue) => JsonValue | RestProblem
  readonly statuses?: Route["statuses"]
  /** What must hold before the method is called. */
  readonly before?: (given: RequestInputs, node: MethodNode) => Effect.Effect<void, RpcError | RestProblem>
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
    ast: parameter.schema.ast
  }
}

/** The case of a result that depends on the parameters. */
export const caseOf = ({ name, result }: Pick<Method, "name" | "result">, when: string): SchemaAST.AST => {
  const { ast } = result
  const found = ast._tag === "Union" ? ast.types.find((type) => type.annotations?.["when"] === when) : undefined
  if (found === undefined) throw new Error(`${name} has no result when ${when}`)
  return found
}

const membersOf = (params: ReadonlyMap<string, JsonRead>): JsonMembers =>
  new JsonMembers([...params.keys()], [...params.values()])

/** A resource that one method of the RPC answers for. */
export const methodRoute = (definition: MethodRoute): Route => {
  const { before, fixed = {}, fixedForBytes, method, resultCase, shape } = definition
  const places = Object.entries(definition.inputs ?? {})
  const paramsOf = (given: RequestInputs, isJson: boolean): JsonMembers => {
    const params = new Map(Object.entries(isJson ? fixed : fixedForBytes ?? fixed))
    for (const [name, { parameter = name }] of places) {
      const value = given.get(name)
      if (value !== undefined) params.set(parameter, value)
    }
    return membersOf(params)
  }
  return {
    verb: definition.verb,
    path: definition.path,
    summary: definition.summary,
    privilege: method.privilege,
    method: method.name,
    inputs: places.map((each) => inputOf(method, each)),
    result: definition.result ?? (resultCase === undefined ? method.result.ast : caseOf(method, resultCase)),
    hasBytes: fixedForBytes !== undefined,
    isImmutable: definition.isImmutable ?? false,
    isPaged: false,
    bytesInput: definition.bytesInput,
    statuses: definition.statuses ?? {},
    answer: Effect.fnUntraced(function*(given, node, form) {
      if (before !== undefined) yield* before(given, node)
      const result = yield* callMethod(method, paramsOf(given, form === "json"), node)
      const data = shape === undefined || form !== "json" ? result : shape(result)
      return data instanceof RestProblem ? yield* Effect.fail(data) : { data }
    })
  }
}

/** Members of a result, under other names where `names` says so. */
export const picked = (result: JsonValue, names: Readonly<Record<string, string>>): JsonValue => {
  const members = result as { readonly [name: string]: JsonValue | undefined }
  return Object.fromEntries(Object.entries(names).map(([name, member]) => [name, members[member]]))
}

/** The schema of an object that says one thing. */
export const single = (name: string, schema: Schema.Top): SchemaAST.AST => Schema.Struct({ [name]: schema }).ast
