import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { nodeEvent } from "../../events/node-event.ts"
import { type SpaceChange, watchSpace } from "../../storage/data-directory/space-watch.ts"
import { lowSpaceText } from "../api/fault-text.ts"
import type { ChainEngine } from "../state/chain-engine.ts"
import type { MakeExtension } from "./extension.ts"
import { pushState } from "./push-state.ts"
import { notifyLog } from "../notify/notifications.ts"
import { setSpace } from "../state/engine-status.ts"

const onChange = (engine: ChainEngine, { _tag, space: { free, total } }: SpaceChange): void => {
  const { directory, minimumFreeBytes } = engine.options
  const limit = { directory, minimumFreeBytes }
  const warning = lowSpaceText(limit)
  if (_tag === "Enough") {
    engine.warnings.delete(warning)
    setSpace(engine, undefined)
    notifyLog(engine, "info", "There is space on the disk again", { available_bytes: free })
    return pushState(engine)
  }
  setSpace(engine, limit)
  engine.warnings.add(warning)
  notifyLog(engine, "warn", warning, { available_bytes: free })
  const event = nodeEvent("DiskSpaceLow", {
    available_bytes: free,
    total_bytes: total,
    percent_free: total === 0 ? 0 : (free / total) * 100,
    disk_path: directory
  })
  engine.notify({ _tag: "Event", event })
  engine.notify({
    _tag: "Event",
    event: nodeEvent("DataMaintenance", { operation: "cleanup", urgency: "medium", reason: "low_disk" })
  })
  pushState(engine)
}

/** Watches the free space. It stops changes before the disk is full and resumes them once there is enough space. */
export const spaceWatch: MakeExtension = (engine) => {
  const { disk, options } = engine
  const background = watchSpace({ disk, path: options.directory, minimumFreeBytes: options.minimumFreeBytes }).pipe(
    Stream.runForEach((change) => Effect.sync(() => onChange(engine, change)))
  )
  return Effect.succeed({ background })
}
