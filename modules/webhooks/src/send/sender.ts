/** An event in the form that is sent. */
export interface Delivery {
  readonly hook: string
  readonly number: number
  readonly event: string
  readonly body: Uint8Array
}

/** Sends events to one endpoint. */
export interface Sender {
  /** Resolves when the other side has accepted the event; rejects with the reason if it has not. */
  readonly send: (delivery: Delivery) => Promise<void>
  readonly close: () => void
}
