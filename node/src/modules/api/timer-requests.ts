import * as Effect from "effect/Effect"
import type { RequestHandlers } from "./module-context.ts"

/** Handlers of requests about timers. A due timer sends the event `TimerFired`. */
export const TIMER_REQUESTS: RequestHandlers<"RegisterTimer" | "ScheduleTask" | "CancelTimer"> = {
  RegisterTimer: ({ module: { timers } }, { interval_seconds }) =>
    Effect.map(timers.every(interval_seconds), (value) => ({ _tag: "TimerId", value })),
  ScheduleTask: ({ module: { timers } }, { delay_seconds }) =>
    Effect.map(timers.after(delay_seconds), (value) => ({ _tag: "TaskId", value })),
  CancelTimer: ({ module: { timers } }, { timer_id }) => Effect.as(timers.cancel(timer_id), { _tag: "TimerCancelled" })
}
