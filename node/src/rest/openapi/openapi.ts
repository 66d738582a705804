import { codeWord, PROBLEM_STATUSES } from "../rest-problem.ts"
import { groupOf, type Input, type Route } from "../route.ts"
import { BINARY_TYPE, HEX_TYPE, JSON_TYPE } from "../negotiate.ts"
import { ENVELOPE_VERSION } from "../envelope.ts"
import { type JsonSchema, jsonSchema } from "../../methods/docs/json-schema.ts"

const text = (description: string): JsonSchema => ({ type: "string", description })

const count = (description: string): JsonSchema => ({ type: "integer", minimum: 0, description })

const PAGE: JsonSchema = {
  type: "object",
  description: "Which part of a list this is (only of lists)",
  properties: {
    offset: count("How many stand before the first"),
    limit: count("How many there are at most"),
    total: count("How many the whole list has")
  },
  required: ["offset", "limit", "total"]
}

const META: JsonSchema = {
  type: "object",
  description: "About the answer itself",
  properties: {
    timestamp: text("When it was made, in seconds since 1970"),
    version: { const: ENVELOPE_VERSION },
    request_id: text("The X-Request-Id of the request, or one that was made for it; also in the header X-Request-Id"),
    page: PAGE
  },
  required: ["timestamp", "version", "request_id"]
}

const LINKS: JsonSchema = {
  type: "object",
  description: "Where this part of a list is, and those beside it (only of lists)",
  properties: { self: text("This part"), prev: text("The part before"), next: text("The part after") },
  required: ["self"]
}

const PROBLEM: JsonSchema = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { enum: PROBLEM_STATUSES.map(codeWord), description: "What kind of problem it is; one for each status" },
        message: text("What is wrong, for people"),
        details: {
          type: "object",
          properties: { rpc_code: { type: "integer", description: "The code of the RPC's error behind it" } }
        },
        suggestions: { type: "array", items: { type: "string" }, description: "What may help" }
      },
      required: ["code", "message"]
    },
    meta: { $ref: "#/components/schemas/Meta" }
  },
  required: ["error", "meta"]
}

const parameterOf = ({ ast, description, kind, name, place, required, standard }: Input): JsonSchema => ({
  name,
  in: place,
  description: standard === undefined ? description : `${description} (${standard} if missing)`,
  required,
  ...(kind === "list" ? { style: "form", explode: false } : {}),
  schema: place === "path" && kind === "list"
    ? { type: "string" }
    : kind === "number"
    ? { type: "integer" }
    : jsonSchema(ast)
})

const envelopeOf = ({ isPaged, result }: Route): JsonSchema => ({
  type: "object",
  properties: {
    data: jsonSchema(result),
    meta: { $ref: "#/components/schemas/Meta" },
    ...(isPaged ? { links: { $ref: "#/components/schemas/Links" } } : {})
  },
  required: isPaged ? ["data", "meta", "links"] : ["data", "meta"]
})

const bytesContent = {
  [BINARY_TYPE]: { schema: { description: "The bytes" } },
  [HEX_TYPE]: { schema: { type: "string", description: "The bytes in hexadecimal digits, and a line break" } }
}

const responsesOf = (route: Route): JsonSchema => ({
  200: {
    description: "It is so, or it is done",
    content: { [JSON_TYPE]: { schema: envelopeOf(route) }, ...(route.hasBytes ? bytesContent : {}) }
  },
  ...(route.verb === "GET" ? { 304: { description: "It is what If-None-Match says" } } : {}),
  default: { $ref: "#/components/responses/Problem" }
})

const bodyOf = ({ bytesInput, inputs }: Route): JsonSchema => {
  const members = inputs.filter(({ place }) => place === "body")
  if (members.length === 0) return {}
  const required = members.filter((each) => each.required).map(({ name }) => name)
  const schema = {
    type: "object",
    properties: Object.fromEntries(
      members.map((each) => [each.name, { ...jsonSchema(each.ast), description: each.description }])
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false
  }
  const content = { [JSON_TYPE]: { schema }, ...(bytesInput === undefined ? {} : bytesContent) }
  return { requestBody: { required: required.length > 0, content } }
}

const FREE: ReadonlyArray<JsonSchema> = [{}, { bearer: [] }, { basic: [] }]
const ADMIN: ReadonlyArray<JsonSchema> = [{ bearer: [] }, { basic: [] }]

const operationOf = (route: Route): JsonSchema => {
  const { inputs, path, privilege, summary, verb } = route
  const words = path.split("/").slice(1).map((part) => part.replaceAll(/[{}]/g, "").replaceAll("-", "_"))
  const parameters = inputs.filter(({ place }) => place !== "body").map(parameterOf)
  return {
    operationId: [verb.toLowerCase(), ...words].join("_"),
    tags: [groupOf(route)],
    summary,
    description: privilege === "admin" ? "Needs admin privileges." : "Open to every accepted caller.",
    ...(parameters.length === 0 ? {} : { parameters }),
    ...bodyOf(route),
    responses: responsesOf(route),
    security: privilege === "admin" ? ADMIN : FREE
  }
}

const pathsOf = (routes: ReadonlyArray<Route>): JsonSchema => {
  const paths = new Map<string, Record<string, JsonSchema>>()
  for (const route of routes) {
    const operations = paths.get(route.path) ?? {}
    operations[route.verb.toLowerCase()] = operationOf(route)
    paths.set(route.path, operations)
  }
  return Object.fromEntries(paths)
}

/** Returns the OpenAPI document of routes. */
export const openApiDocument = (routes: ReadonlyArray<Route>): JsonSchema => ({
  openapi: "3.1.0",
  info: {
    title: "Lockstep REST",
    version: ENVELOPE_VERSION,
    description: "Resources of a Bitcoin node. Amounts are bitcoins with eight decimals: read them as decimals.",
    license: { name: "MIT", identifier: "MIT" }
  },
  servers: [{ url: "http://127.0.0.1:8080/api/v1", description: "mainnet, with the port that REST has by default" }],
  tags: [...new Set(routes.map(groupOf))].map((name) => ({ name })),
  paths: pathsOf(routes),
  components: {
    schemas: { Meta: META, Links: LINKS, Problem: PROBLEM },
    responses: {
      Problem: {
        description: "Why there is no answer",
        content: { [JSON_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } }
      }
    },
    securitySchemes: { bearer: { type: "http", scheme: "bearer" }, basic: { type: "http", scheme: "basic" } }
  }
})

export const openApiText = (routes: ReadonlyArray<Route>): string =>
  `${JSON.stringify(openApiDocument(routes), undefined, 1)}\n`
