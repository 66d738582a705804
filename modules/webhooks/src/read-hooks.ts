import type { ModuleEventType } from "@lockstep/sdk"
import { validateHeaderName, validateHeaderValue } from "node:http"
import { SENDABLE } from "./event-json.ts"
import type { Hook, Wanted } from "./hook.ts"

/** Reads a file by its name below the module's data directory. Throws if it is missing. */
export type ReadSecret = (name: string) => string

type Table = Readonly<Record<string, unknown>>

const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/
const SUBJECT = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/
const MOST_HOOKS = 32
const STANDARD_EVENTS: ReadonlyArray<ModuleEventType> = ["NewBlock", "BlockDisconnected"]

const FIELDS = ["name", "url", "events", "where", "secret", "secret_file", "ca_file"]
const HTTP_FIELDS = [...FIELDS, "headers"]
const NATS_FIELDS = [...FIELDS, "subject", "jetstream", "user", "credentials_file"]
const SCHEMES: Readonly<Record<string, Hook["kind"]>> = {
  "http:": "http",
  "https:": "http",
  "nats:": "nats",
  "tls:": "nats"
}

const isTable = (value: unknown): value is Table => typeof value === "object" && value !== null && !Array.isArray(value)

/** Reads the fields of one table, whose name errors mention. */
const fieldsOf = (where: string, table: Table, readSecret: ReadSecret) => {
  const fault = (field: string, text: string): Error => new Error(`${where}.${field} ${text}`)
  const text = (field: string): string | undefined => {
    const value = table[field]
    if (value === undefined || (typeof value === "string" && value !== "")) return value
    throw fault(field, "must be a text")
  }
  const file = (field: string): string | undefined => {
    const name = text(field)
    if (name === undefined) return undefined
    try {
      return readSecret(name)
    } catch (error) {
      throw fault(
        field,
        `cannot be read from the module's data directory: ${(error as NodeJS.ErrnoException).code ?? String(error)}`
      )
    }
  }
  return { fault, text, file }
}

type Fields = ReturnType<typeof fieldsOf>

const urlIn = ({ fault, text }: Fields): URL => {
  const url = URL.canParse(text("url") ?? "") ? new URL(text("url")!) : undefined
  if (url !== undefined && url.hostname !== "" && Object.hasOwn(SCHEMES, url.protocol)) return url
  throw fault("url", "must begin with http://, https://, nats:// or tls:// and name a host")
}

const eventsIn = ({ events }: Table, { fault }: Fields): ReadonlyArray<ModuleEventType> => {
  if (events === undefined) return STANDARD_EVENTS
  if (!Array.isArray(events) || events.length === 0) throw fault("events", "must be a list of event types")
  const unknown = events.find((each) => !SENDABLE.includes(each as ModuleEventType))
  if (unknown !== undefined) throw fault("events", `names ${String(unknown)}, which is no event for hooks`)
  return events as ReadonlyArray<ModuleEventType>
}

const isWanted = (value: unknown): value is Wanted =>
  value === null || ["string", "number", "boolean"].includes(typeof value)

const whereIn = ({ where = {} }: Table, { fault }: Fields): Hook["where"] => {
  if (!isTable(where)) throw fault("where", "must be a table of fields")
  return Object.fromEntries(
    Object.entries(where).map(([field, value]) => {
      const values = Array.isArray(value) ? value : [value]
      if (!values.every(isWanted)) throw fault(`where.${field}`, "must be a value or a list of values")
      return [field, values]
    })
  )
}

const headersIn = ({ headers = {} }: Table, { fault }: Fields): Readonly<Record<string, string>> => {
  if (!isTable(headers)) throw fault("headers", "must be a table of texts")
  for (const [name, value] of Object.entries(headers)) {
    try {
      validateHeaderName(name)
      validateHeaderValue(name, value as string)
    } catch {
      throw fault(`headers.${name}`, "is no header of HTTP")
    }
  }
  return headers as Readonly<Record<string, string>>
}

const subjectIn = ({ fault, text }: Fields): string => {
  const subject = text("subject") ?? "lockstep"
  if (SUBJECT.test(subject)) return subject
  throw fault("subject", "must be words of letters, digits, - and _ with dots between them")
}

const flagIn = (table: Table, field: string, { fault }: Fields): boolean => {
  const value = table[field] ?? false
  if (typeof value === "boolean") return value
  throw fault(field, "must be true or false")
}

const hookIn = (table: unknown, index: number, readSecret: ReadSecret): Hook => {
  if (!isTable(table)) throw new Error("the setting hooks must be a list of tables: [[modules.webhooks.hooks]]")
  const fields = fieldsOf(`hooks[${index}]`, table, readSecret)
  const { fault, file, text } = fields
  const name = text("name") ?? ""
  if (!NAME.test(name)) throw fault("name", "must have up to 32 small letters, digits, - and _")
  const url = urlIn(fields)
  const kind = SCHEMES[url.protocol]!
  const known = kind === "http" ? HTTP_FIELDS : NATS_FIELDS
  const unknown = Object.keys(table).find((field) => !known.includes(field))
  if (unknown !== undefined) {
    throw fault(unknown, `is no field of a hook with ${url.protocol}//; there are ${known.join(", ")}`)
  }
  if (text("secret") !== undefined && text("secret_file") !== undefined) {
    throw fault("secret", "stands beside secret_file; keep one")
  }
  const common = {
    name,
    url,
    events: eventsIn(table, fields),
    where: whereIn(table, fields),
    authorities: file("ca_file"),
    secret: text("secret") ?? file("secret_file")?.trim()
  }
  if (kind === "http") return { ...common, kind, headers: headersIn(table, fields) }
  return {
    ...common,
    kind,
    subject: subjectIn(fields),
    usesJetStream: flagIn(table, "jetstream", fields),
    user: text("user"),
    credentials: file("credentials_file")
  }
}

const tablesIn = (setting: string): ReadonlyArray<unknown> => {
  try {
    const tables: unknown = JSON.parse(setting)
    if (Array.isArray(tables)) return tables
  } catch {
    // A text that is invalid JSON is no list of tables, either.
  }
  throw new Error("the setting hooks must be a list of tables: [[modules.webhooks.hooks]]")
}

/** Reads the hooks in the setting, a list of tables as JSON. Throws if one is invalid. */
export const readHooks = (setting: string, readSecret: ReadSecret): ReadonlyArray<Hook> => {
  if (setting === "") throw new Error("there is no hook: add [[modules.webhooks.hooks]] with name and url")
  const hooks = tablesIn(setting).map((table, index) => hookIn(table, index, readSecret))
  if (hooks.length > MOST_HOOKS) {
    throw new Error(`the setting hooks has ${hooks.length} hooks, and ${MOST_HOOKS} is the most`)
  }
  const repeated = hooks.find(({ name }, index) => hooks.findIndex((each) => each.name === name) !== index)
  if (repeated !== undefined) throw new Error(`two hooks have the name ${repeated.name}`)
  return hooks
}
