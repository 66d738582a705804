import type { ModuleMethod } from "../../modules/api/module-methods.ts"
import type { Example, MethodFacts } from "../definition/method-facts.ts"
import { shownParameters } from "../help/help-text.ts"
import type { Parameter } from "../definition/parameter.ts"
import { type JsonSchema, jsonSchema } from "./json-schema.ts"

/** Method that returns the document. The document omits it. */
export const DISCOVERY_METHOD = "rpc.discover"

const META_SCHEMA = "https://raw.githubusercontent.com/open-rpc/meta-schema/master/schema.json"

const firstSentence = (text: string): string => text.split(/(?<=\.)\s/)[0]!

/** Describes a parameter. If `isBeforeNeeded`, a required one follows, so this one may be null but not missing. */
const parameterOf = (
  [name, { aliases, description, required, schema, standard }]: [string, Parameter<unknown>],
  isBeforeNeeded: boolean
): JsonSchema => ({
  name,
  description,
  required: required || isBeforeNeeded,
  schema: {
    ...(required || !isBeforeNeeded ? jsonSchema(schema.ast) : { anyOf: [jsonSchema(schema.ast), { type: "null" }] }),
    ...(standard === undefined ? {} : { "x-default": standard })
  },
  ...(aliases.length === 0 ? {} : { "x-aliases": aliases })
})

const exampleOf = ({ parameters }: MethodFacts, { params, shows }: Example, position: number): JsonSchema => ({
  name: shows ?? `example ${position + 1}`,
  params: params.map((value, i) => ({ name: Object.keys(parameters)[i] ?? String(i), value }))
})

const parametersOf = (method: MethodFacts): ReadonlyArray<JsonSchema> => {
  const shown = shownParameters(method)
  const lastNeeded = shown.findLastIndex(([, { required }]) => required)
  return shown.map((each, i) => parameterOf(each, i < lastNeeded))
}

const methodOf = (method: MethodFacts): JsonSchema => ({
  name: method.name,
  summary: firstSentence(method.description),
  description: method.description,
  tags: [{ name: method.category }],
  paramStructure: "either",
  params: parametersOf(method),
  result: { name: "result", schema: jsonSchema(method.result.ast) },
  examples: method.examples.map((example, i) => exampleOf(method, example, i)),
  "x-privilege": method.privilege
})

/** Describes a method that a module adds. The node knows neither its parameters nor its result. */
const addedMethod = ({ description, module, name }: ModuleMethod): JsonSchema => ({
  name,
  summary: firstSentence(description),
  description,
  tags: [{ name: "modules" }],
  paramStructure: "either",
  params: [],
  result: { name: "result", schema: true },
  "x-module": module,
  "x-privilege": "admin"
})

/** Returns the OpenRPC document of all methods, those of modules last. */
export const openRpcDocument = (
  methods: Iterable<MethodFacts>,
  version: string,
  ofModules: ReadonlyArray<ModuleMethod> = []
): JsonSchema => ({
  $schema: META_SCHEMA,
  openrpc: "1.3.2",
  info: {
    title: "Lockstep JSON-RPC",
    version,
    description: "Methods, parameters, results and errors are those of Bitcoin Core where it has them.",
    license: { name: "MIT" }
  },
  servers: [{ name: "regtest", url: "http://127.0.0.1:18443/" }],
  methods: [
    ...[...methods].filter(({ name }) => name !== DISCOVERY_METHOD).map(methodOf),
    ...ofModules.map(addedMethod)
  ]
})

/** Returns the text of `docs/rpc/openrpc.json`. */
export const openRpcText = (
  methods: Iterable<MethodFacts>,
  version: string,
  ofModules: ReadonlyArray<ModuleMethod> = []
): string => `${JSON.stringify(openRpcDocument(methods, version, ofModules), undefined, 2)}\n`
