/** How a target is attacked. */
export interface AttackOptions {
  readonly port: number
  /** Where the target listens over QUIC, if it does. */
  readonly quicPort?: number
  /** Connections that are kept up, by coming back whenever one is lost. */
  readonly connections: number
  readonly seed: number
  /** What each of them sends at most. */
  readonly bytesPerSecond: number
  readonly messagesPerSecond: number
  /** After so long a lost connection is made again. */
  readonly retryMilliseconds: number
}
