/** Characters that are harmless in a log, on a terminal and in a page. */
const HARMLESS = /[A-Za-z0-9 .,;\-_/:?@()]/

/** Returns the harmless characters of a peer's user agent, since a peer may send anything. */
export const userAgentText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte))
    .filter((character) => HARMLESS.test(character))
    .join("")

/** Encodes a user agent. Precondition: ASCII. */
export const userAgentBytes = (text: string): Uint8Array =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))
