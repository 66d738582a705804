import type { Row } from "./conversation.ts"
import { type RecordedNode, withPorts } from "./recorded-node.ts"
import { subscriberAt } from "./recorded-subscriber.ts"

/** Subscribes to every topic that the node was started to publish. */
export const subscribe = async (node: RecordedNode, args: ReadonlyArray<string>): Promise<void> => {
  for (const arg of args) {
    const [, topic, port] = /^-zmqpub([a-z]+)=.*:(\d+)$/.exec(withPorts(node, arg)) ?? []
    if (topic !== undefined) node.subscribers.set(topic, await subscriberAt(Number(port), topic))
  }
}

/** The number of a message within its topic, which is its last frame; NaN: it has none. */
const numberOf = (frames: ReadonlyArray<string>): number => {
  const last = Buffer.from(frames.at(-1) ?? "", "hex")
  return last.length === 4 ? last.readUInt32LE() : NaN
}

/** Compares what was published with what was recorded; the times to wait are those of the player. */
export const playPublished = async (
  { subscribers }: Pick<RecordedNode, "subscribers">,
  { frames, topic }: Pick<Row, "frames" | "topic">,
  milliseconds: number
): Promise<ReadonlyArray<string>> => {
  const subscriber = subscribers.get(topic!)
  if (subscriber === undefined) return [`nothing publishes ${topic}`]
  const found: Array<string> = []
  for (const expected of frames!) {
    let message = await subscriber.next(milliseconds)
    // What happened before the first row may be published after the subscription.
    while (message !== undefined && numberOf(message) < numberOf(expected)) {
      message = await subscriber.next(milliseconds)
    }
    if (message === undefined) return [...found, `${topic} ${numberOf(expected)} is not published`]
    const isEqual = message.length === expected.length && message.every((frame, i) => frame === expected[i])
    if (!isEqual) {
      found.push(`published ${message.join(" ").slice(0, 200)} instead of ${expected.join(" ").slice(0, 200)}`)
    }
  }
  return found
}

/** What was published beyond the recorded messages. */
export const publishedBeyond = async (
  { subscribers }: Pick<RecordedNode, "subscribers">
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [topic, { left }] of subscribers) {
    const count = await left()
    if (count > 0) found.push(`${count} more of ${topic} than recorded`)
  }
  return found
}
