import { type NodeEvent, nodeEvent } from "../events/node-event.ts"
import type { EventPayload, EventType } from "../events/event-types.ts"
import type { EngineNews } from "./calls/engine-calls.ts"
import type { ChainEngine } from "./chain-engine.ts"

type LogFields = Readonly<Record<string, string | number | boolean>>

/** Tells of something that happened, once it is on disk: nobody hears of a block that a power cut could take back. */
export const tellEvent = <T extends EventType>(engine: ChainEngine, type: T, payload: EventPayload<T>): void => {
  const event: NodeEvent = nodeEvent(type, payload)
  engine.withheld.push({ _tag: "Event", event })
}

/** A line for the log, at once. */
export const tellLog = (
  engine: Pick<ChainEngine, "tell">,
  level: Extract<EngineNews, { _tag: "Log" }>["level"],
  message: string,
  fields: LogFields = {}
): void => engine.tell({ _tag: "Log", level, category: "chain", message, fields })

/** Tells what became of blocks, after the tree that shows it. */
export const tellVerdicts = ({ feed, tell, verdicts }: ChainEngine): void => {
  feed.flush()
  for (const news of verdicts.splice(0)) tell(news)
}

/** Lets out what was withheld. */
export const release = (engine: ChainEngine): void => {
  tellVerdicts(engine)
  for (const news of engine.withheld.splice(0)) engine.tell(news)
}
