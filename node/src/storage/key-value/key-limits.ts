/** The longest key that every engine accepts. */
export const MAX_KEY_SIZE = 511

/** Throws for a key that no engine accepts, which is an error of the caller. */
export const requireKey = (key: Uint8Array): void => {
  if (key.length === 0 || key.length > MAX_KEY_SIZE) {
    throw new RangeError(`a key has 1 to ${MAX_KEY_SIZE} bytes, not ${key.length}`)
  }
}
