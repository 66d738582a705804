import type { Notifier } from "@lockstep/zmq"
import * as Context from "effect/Context"

/** The active ZeroMQ notifiers of the running node; empty if a socket could not be opened. */
export class ActiveNotifiers extends Context.Service<ActiveNotifiers, {
  readonly notifiers: ReadonlyArray<Notifier>
}>()("@node/zmq/ActiveNotifiers") {}
