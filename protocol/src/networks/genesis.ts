import { bytesOfHex } from "./hex.ts"

/** Version 1, no previous block, and the merkle root of {@link FIRST_COINBASE}. */
const FIRST_HEADER = `01000000${"00".repeat(32)}3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a`

/**
 * The coinbase of the genesis block of four networks: a newspaper's headline of 3 January 2009, and 50 coins to a key.
 */
const FIRST_COINBASE = `01000000010${"0".repeat(63)}ffffffff` +
  "4d04ffff001d0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64" +
  "206261696c6f757420666f722062616e6b73ffffffff" +
  "0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de" +
  "5c384df7ba0b8d578a4c702b6bf11d5fac00000000"

/** Builds a block of that coinbase alone. `ending` is the header's time, bits and nonce as bytes in hexadecimal. */
export const firstBlock = (ending: string): Uint8Array => bytesOfHex(`${FIRST_HEADER}${ending}01${FIRST_COINBASE}`)

/** Builds a block of one transaction from the header and the transaction in hexadecimal. */
export const blockOfOne = (header: string, coinbase: string): Uint8Array => bytesOfHex(`${header}01${coinbase}`)
