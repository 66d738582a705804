import { createHmac } from "node:crypto"

/** Returns the signature of a request: HMAC-SHA256 over its time, a dot and its body. */
export const signatureOf = (secret: string, time: number, body: Uint8Array): string =>
  `v1=${createHmac("sha256", secret).update(`${time}.`).update(body).digest("hex")}`
