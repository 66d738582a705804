/** One thing that happened, as the event bus carries it. The payload of each type is written down in `event-types.ts`. */
export interface NodeEvent {
  readonly type: string
  readonly payload: Readonly<Record<string, unknown>>
}
