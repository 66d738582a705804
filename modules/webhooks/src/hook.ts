import type { ModuleEventType } from "@lockstep/sdk"
import type { EventData } from "./event-json.ts"

/** A value that a field of an event may be compared with. */
export type Wanted = string | number | boolean | null

/** Properties of all hooks. */
interface AnyHook {
  /** Name of the hook, also of its queue on disk. */
  readonly name: string
  readonly url: URL
  readonly events: ReadonlyArray<ModuleEventType>
  /** Fields that an event must have, each with its accepted values. */
  readonly where: Readonly<Record<string, ReadonlyArray<Wanted>>>
  /** Certificates of trusted authorities that replace the public ones. */
  readonly authorities: string | undefined
  readonly secret: string | undefined
}

/** A hook whose events are sent as HTTP requests. */
export interface HttpHook extends AnyHook {
  readonly kind: "http"
  readonly headers: Readonly<Record<string, string>>
}

/** A hook whose events are published to a NATS server. */
export interface NatsHook extends AnyHook {
  readonly kind: "nats"
  /** Prefix of the event type in a subject. */
  readonly subject: string
  /** True if a stream must acknowledge each event. */
  readonly usesJetStream: boolean
  readonly user: string | undefined
  /** The content of a credentials file. */
  readonly credentials: string | undefined
}

/** An endpoint to which events are sent. */
export type Hook = HttpHook | NatsHook

/** Reports whether a hook selects an event. */
export const isWantedBy = ({ events, where }: Hook, type: ModuleEventType, data: EventData): boolean =>
  events.includes(type) && Object.entries(where).every(([field, values]) => values.includes(data[field] as Wanted))

/** Returns the URL of a hook without its secrets: user, password and query. */
export const shownUrl = ({ url }: Hook): string => {
  const shown = new URL(url)
  shown.username = ""
  shown.password = ""
  shown.search = ""
  return shown.href
}
