import { subscribeTo } from "@lockstep/zmq/test-subscriber"

/** Receives one topic of a node. */
export interface RecordedSubscriber {
  /** The next message, as its frames in hex; nothing if none comes in time. */
  readonly next: (milliseconds: number) => Promise<ReadonlyArray<string> | undefined>
  /** Messages that were sent and not asked for. */
  readonly left: () => Promise<number>
  readonly close: () => void
}

/** Connects to the publisher at a port of this machine. */
export const subscriberAt = async (port: number, topic: string): Promise<RecordedSubscriber> => {
  const { next, processed, socket, waiting } = await subscribeTo({ host: "127.0.0.1", port }, [topic])
  return {
    next: (milliseconds) => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), milliseconds)))
      const message = next().then((frames) => frames.map((frame) => frame.toString("hex")))
      return Promise.race([message, late]).finally(() => clearTimeout(timer))
    },
    left: async () => {
      await processed()
      return waiting()
    },
    close: () => void socket.destroy()
  }
}
