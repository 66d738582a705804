import type { Notifier } from "@lockstep/zmq"
import * as Context from "effect/Context"

/** What is published through ZeroMQ while the node runs; nothing where a socket could not be opened. */
export class ActiveNotifiers extends Context.Service<ActiveNotifiers, {
  readonly notifiers: ReadonlyArray<Notifier>
}>()("@node/zmq/ActiveNotifiers") {}
