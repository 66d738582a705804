import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { nodeEvent } from "../../events/node-event.ts"
import { type SpaceChange, watchSpace } from "../../storage/data-directory/space-watch.ts"
import type { ChainEngine } from "../chain-engine.ts"
import type { MakeExtension } from "../engine.ts"
import { pushState } from "../notify/push-state.ts"
import { notifyLog } from "../notify/notifications.ts"

const MEBIBYTE = 1_048_576

const warningOf = ({ options }: ChainEngine): string =>
  `Less than ${Math.round(options.minimumFreeBytes / MEBIBYTE)} MiB are free in ${options.directory}: ` +
  "nothing is written until there is more"

const onChange = (engine: ChainEngine, { _tag, space: { free, total } }: SpaceChange): void => {
  const { directory } = engine.options
  if (_tag === "Enough") {
    if (engine.lowSpace !== undefined) engine.warnings.delete(engine.lowSpace)
    engine.lowSpace = undefined
    notifyLog(engine, "info", "There is space on the disk again", { available_bytes: free })
    return pushState(engine)
  }
  engine.lowSpace = warningOf(engine)
  engine.warnings.add(engine.lowSpace)
  notifyLog(engine, "warn", engine.lowSpace, { available_bytes: free })
  const event = nodeEvent("DiskSpaceLow", {
    available_bytes: free,
    total_bytes: total,
    percent_free: total === 0 ? 0 : (free / total) * 100,
    disk_path: directory
  })
  engine.tell({ _tag: "Event", event })
  engine.tell({
    _tag: "Event",
    event: nodeEvent("DataMaintenance", { operation: "cleanup", urgency: "medium", reason: "low_disk" })
  })
  pushState(engine)
}

/** Watches the free space: stops changes before the disk is full, and resumes them when there is room again. */
export const spaceWatch: MakeExtension = (engine) => {
  const { disk, options } = engine
  const background = watchSpace({ disk, path: options.directory, minimumFreeBytes: options.minimumFreeBytes }).pipe(
    Stream.runForEach((change) => Effect.sync(() => onChange(engine, change)))
  )
  return Effect.succeed({ background })
}
