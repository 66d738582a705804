import type { ModuleEventType } from "@lockstep/sdk"
import type { EventData } from "./event-json.ts"

/** What a field of an event may be compared with. */
export type Wanted = string | number | boolean | null

/** What is common to all hooks. */
interface AnyHook {
  /** Names its queue on disk as well. */
  readonly name: string
  readonly url: URL
  readonly events: ReadonlyArray<ModuleEventType>
  /** Fields that an event must have, each with the values that it may have. */
  readonly where: Readonly<Record<string, ReadonlyArray<Wanted>>>
  /** Certificates of authorities to trust instead of the public ones. */
  readonly authorities: string | undefined
  readonly secret: string | undefined
}

/** Events are sent as requests of HTTP. */
export interface HttpHook extends AnyHook {
  readonly kind: "http"
  readonly headers: Readonly<Record<string, string>>
}

/** Events are published to a NATS server. */
export interface NatsHook extends AnyHook {
  readonly kind: "nats"
  /** What stands before the type of an event in its subject. */
  readonly subject: string
  /** A stream must acknowledge each event. */
  readonly usesJetStream: boolean
  readonly user: string | undefined
  /** The content of a credentials file. */
  readonly credentials: string | undefined
}

/** A place to which events are sent. */
export type Hook = HttpHook | NatsHook

/** Whether a hook asks for an event. */
export const isWantedBy = ({ events, where }: Hook, type: ModuleEventType, data: EventData): boolean =>
  events.includes(type) && Object.entries(where).every(([field, values]) => values.includes(data[field] as Wanted))

/** The URL of a hook without its secrets: user, password and query. */
export const shownUrl = ({ url }: Hook): string => {
  const shown = new URL(url)
  shown.username = ""
  shown.password = ""
  shown.search = ""
  return shown.href
}
